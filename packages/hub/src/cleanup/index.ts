import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { clusterResources } from './cluster-resources.js'
import { releasedClusters } from './released-clusters.js'

/** The part for clusters that are detached: deletes their resources on the hub. */
export function cleanupControllers(context: HubContext): ControllerSpec[] {
  return [context.features.ResourceCleanup ? clusterResources(context) : releasedClusters(context)]
}
