export { planRollout } from './plan.js'
export type { ClusterProgress, MaxFailuresBreach, RolloutPlan, RolloutStatus } from './types.js'
