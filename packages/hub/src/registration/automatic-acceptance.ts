import { AUTOMATICALLY_ACCEPTED_ANNOTATION, ManagedCluster, RegistrationEvent } from '@orrery/api'
import { type ClusterRole, Namespace } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { annotationsChanged, type ControllerSpec, each, isBeingDeleted, patchLocked } from '@orrery/kube'
import type { HubContext } from '../context.js'
import { agentRoleName } from './agentroles.js'
import { accessInformers, labelledCluster } from './cluster-access.js'

/**
 * Lets each cluster in, once: what an administrator decides afterwards stays. Only with the gate
 * ManagedClusterAutoApproval.
 *
 * The annotation alone does not say whether a cluster was let in, as its agent may write it: one that was thrown out could
 * come back. The role of its agent says it, too.
 *
 * A cluster whose name is that of a namespace which was made for something else waits for a person: its agent would have
 * rights there.
 */
export function automaticAcceptance({ clock, client, events, informers }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const { roles } = accessInformers(informers)

  async function hasForeignNamespace(name: string, signal: AbortSignal): Promise<boolean> {
    const namespace = await client.find(Namespace, { name }, { signal })
    return namespace !== undefined && labelledCluster(namespace)?.name !== name
  }

  return {
    name: 'automatic-acceptance',
    concurrency: 10,
    wakes: [each(clusters, undefined, { when: annotationsChanged })],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      if (cluster === undefined) return
      if (isUndecided(cluster) && (await hasForeignNamespace(name, signal))) {
        const note = `namespace ${name} is there and was not made for a cluster: accept cluster ${name} if its agent may work in it`
        events.record({ regarding: cluster, type: 'Warning', reason: RegistrationEvent.NameTaken, note })
        return
      }
      const patchOf = (current: ManagedCluster) => {
        if (isBeingDeleted(current) || isAnnotated(current)) return undefined
        const metadata = { annotations: { [AUTOMATICALLY_ACCEPTED_ANNOTATION]: formatTime(clock.now()) } }
        if (current.spec?.hubAcceptsClient === true) return { metadata }
        const role = roles.get({ name: agentRoleName(name) })
        return role && wasDecided(role, current) ? undefined : { metadata, spec: { hubAcceptsClient: true } }
      }
      await patchLocked(client, ManagedCluster, cluster, patchOf, { signal })
    },
  }
}

function isUndecided(cluster: ManagedCluster): boolean {
  return !isBeingDeleted(cluster) && !isAnnotated(cluster) && cluster.spec?.hubAcceptsClient !== true
}

function isAnnotated({ metadata }: ManagedCluster): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, AUTOMATICALLY_ACCEPTED_ANNOTATION)
}

/**
 * Whether a role is that of a cluster that was accepted before. It is not if it has no rules yet, or was left behind by an
 * earlier cluster of the same name.
 */
function wasDecided(
  { metadata: { creationTimestamp = '' }, rules }: ClusterRole,
  { metadata }: ManagedCluster,
): boolean {
  // API servers return null for an empty list of rules.
  return (rules ?? []).length > 0 && creationTimestamp >= (metadata.creationTimestamp ?? '')
}
