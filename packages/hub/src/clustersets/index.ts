import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { clusterSetBindings } from './bindings.js'
import { defaultClusterSets } from './default-sets.js'
import { managedNamespaces } from './managed-namespaces.js'
import { clusterSetStatus } from './set-status.js'

/** The part for cluster sets and their bindings. */
export function clusterSetControllers(context: HubContext): ControllerSpec[] {
  return [
    clusterSetStatus(context),
    clusterSetBindings(context),
    managedNamespaces(context),
    ...(context.features.DefaultClusterSet ? [defaultClusterSets(context)] : []),
  ]
}
