import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { completedWorks } from './completed-works.js'
import { expiredDryRuns } from './expired-dry-runs.js'
import { replicaSets } from './replicaset/controller.js'

/** The part for works, with the controllers that feature gates enable. */
export function workControllers(context: HubContext): ControllerSpec[] {
  const { features } = context
  return [
    ...(features.ManifestWorkReplicaSet ? [replicaSets(context)] : []),
    expiredDryRuns(context),
    ...(features.CleanUpCompletedManifestWork ? [completedWorks(context)] : []),
  ]
}
