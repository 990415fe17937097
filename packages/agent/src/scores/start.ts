import { startControllers } from '@orrery/kube'
import {
  checkCalculators,
  nodeHealth,
  resourceRatioCPU,
  resourceRatioMemory,
  type SpokeCalculator,
  servesScores,
  spokeScores,
} from '@orrery/scores'
import type { AgentContext, AgentPart, RunningPart } from '../context.js'

/** The calculators of the gate ClusterScores. */
export const DEFAULT_CALCULATORS: readonly SpokeCalculator[] = [resourceRatioCPU, resourceRatioMemory, nodeHealth]

/**
 * A part that runs calculators and writes their scores to the namespace of the cluster on the hub. Throws a `RangeError` if one
 * of them is not for agents.
 */
export function scorePart(calculators: readonly SpokeCalculator[]): AgentPart {
  checkCalculators('cluster', calculators)
  return { name: 'scores', start: (context) => startScores(context, calculators) }
}

/** Starts calculators. A hub without the kind, such as Open Cluster Management's, gets no scores. */
export async function startScores(
  context: AgentContext,
  calculators: readonly SpokeCalculator[],
): Promise<RunningPart> {
  const { hub: client, clock, log, metrics } = context
  if (!(await servesScores(client))) {
    log.info('the hub does not serve ManagedClusterScores: no scores are calculated')
    return { close: async () => undefined }
  }
  const controllers = startControllers(spokeScores(context, calculators), { client, clock, log, metrics })
  return { close: () => controllers.stop() }
}
