export { groupsOf } from './decisions.js'
export { planRollout } from './plan.js'
export type { ClusterGroup, ClusterProgress, Halt, RolloutPlan, Standing } from './types.js'
