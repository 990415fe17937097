import type { ControllerSpec } from '@orrery/kube'
import { hubScores } from '@orrery/scores'
import type { HubContext } from '../context.js'

/** The part for scores: the calculators of the options, with the gate ClusterScores. */
export function scoreControllers(context: HubContext): ControllerSpec[] {
  return context.features.ClusterScores ? hubScores(context, context.options.scoreCalculators) : []
}
