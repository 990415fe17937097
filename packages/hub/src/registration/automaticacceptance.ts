import { AUTOMATICALLY_ACCEPTED_ANNOTATION, ManagedCluster } from '@orrery/api'
import { annotationsChanged, type ControllerSpec, each, formatTime, isBeingDeleted, patchLocked } from '@orrery/kube'
import type { HubContext } from '../context.js'

/**
 * Lets each cluster in, once: what an administrator decides afterwards stays. Only with the gate
 * ManagedClusterAutoApproval.
 */
export function automaticAcceptance({ clock, client, informers }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  return {
    name: 'automatic-acceptance',
    concurrency: 10,
    wakes: [each(clusters, undefined, { when: annotationsChanged })],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      if (cluster === undefined) return
      const patchOf = (current: ManagedCluster) => {
        if (isBeingDeleted(current) || wasAccepted(current)) return undefined
        return {
          metadata: { annotations: { [AUTOMATICALLY_ACCEPTED_ANNOTATION]: formatTime(clock.now()) } },
          ...(current.spec?.hubAcceptsClient !== true && { spec: { hubAcceptsClient: true } }),
        }
      }
      await patchLocked(client, ManagedCluster, cluster, patchOf, { signal })
    },
  }
}

function wasAccepted({ metadata }: ManagedCluster): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, AUTOMATICALLY_ACCEPTED_ANNOTATION)
}
