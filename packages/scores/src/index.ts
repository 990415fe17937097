export {
  type Calculated,
  type Calculator,
  checkCalculators,
  defineCalculator,
  type HubCalculator,
  type HubFacts,
  type SpokeCalculator,
  type SpokeFacts,
} from './calculator.js'
export { clusterHealth } from './calculators/cluster-health.js'
export { nodeHealth } from './calculators/node-health.js'
export { resourceAllocatableCPU, resourceAllocatableMemory } from './calculators/resource-allocatable.js'
export { resourceRatioCPU, resourceRatioMemory } from './calculators/resource-ratio.js'
export { type HubScoreContext, hubScores } from './hub-scores.js'
export { type SpokeScoreContext, servesScores, spokeScores } from './spoke-scores.js'
