import { AUTOMATICALLY_ACCEPTED_ANNOTATION, ManagedCluster, RegistrationEvent } from '@orrery/api'
import { type ClusterRole, Namespace } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted } from '@orrery/kube'
import { annotationsChanged } from '@orrery/kube/controller'
import { patchLocked } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import { agentRoleName } from './agentroles.js'
import { accessInformers, labelledCluster } from './cluster-access.js'

/**
 * Accepts each cluster once, with the gate ManagedClusterAutoApproval. An administrator's later decision stays.
 *
 * The annotation alone does not prove that a cluster was accepted before, since its agent may write annotations: a denied
 * cluster could remove it. The role of its agent proves it as well.
 *
 * A cluster with the name of a namespace that was not created for a cluster waits for an administrator: its agent would get
 * permissions in that namespace.
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
        const note = `namespace ${name} exists and was not created for a cluster: accept cluster ${name} if its agent may access the namespace`
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
 * Whether the role shows that the cluster was accepted before. It does not if it has no rules yet, or is left over from an
 * earlier cluster of the same name.
 */
function wasDecided(
  { metadata: { creationTimestamp = '' }, rules }: ClusterRole,
  { metadata }: ManagedCluster,
): boolean {
  // API servers return null for an empty list of rules.
  return (rules ?? []).length > 0 && creationTimestamp >= (metadata.creationTimestamp ?? '')
}
