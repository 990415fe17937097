import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { NAMESPACES } from './resources.js'

const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease'])

/** Creates the system namespaces, again if one is deleted. */
export function systemNamespaces(context: ControllerContext): Controller {
  return reconciler(context, {
    name: 'system-namespaces',
    wakes: {
      namespaces: ({ type, entry }) =>
        type === 'DELETED' && SYSTEM_NAMESPACES.has(entry.name) ? entry.name : undefined,
    },
    first: () => SYSTEM_NAMESPACES,
    reconcile: (name) =>
      createIfMissing(context.client, NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
  })
}
