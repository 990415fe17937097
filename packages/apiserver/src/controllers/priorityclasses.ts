import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'
import { PRIORITY_CLASSES } from './resources.js'

const SYSTEM_CLASSES: Readonly<Record<string, { value: number; description: string }>> = {
  'system-node-critical': {
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  'system-cluster-critical': {
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
}

/** Creates the system priority classes. */
export function systemPriorityClasses(context: ControllerContext): Controller {
  return reconciler(context, {
    name: 'system-priority-classes',
    wakes: {},
    first: () => Object.keys(SYSTEM_CLASSES),
    reconcile: (name) =>
      createIfMissing(context.client, PRIORITY_CLASSES, {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name },
        ...SYSTEM_CLASSES[name],
      }),
  })
}
