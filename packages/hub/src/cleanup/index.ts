import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { clusterResources } from './cluster-resources.js'
import { releasedClusters } from './released-clusters.js'

/** What happens to what a cluster had on the hub when it is detached. */
export function cleanupControllers(context: HubContext): ControllerSpec[] {
  return [context.features.ResourceCleanup ? clusterResources(context) : releasedClusters(context)]
}
