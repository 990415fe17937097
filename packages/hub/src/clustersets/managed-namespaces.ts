import { ManagedCluster, ManagedClusterSet, RegistrationEvent } from '@orrery/api'
import { type ControllerSpec, each, generationChanged, isBeingDeleted, writeStatus } from '@orrery/kube'
import { labelsChanged } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import { clusterReference } from '../registration/cluster-reference.js'
import { membershipOf, setsOf } from './membership.js'

const BY_SET = 'managedNamespacesOf'

type ManagedNamespaces = NonNullable<NonNullable<ManagedCluster['status']>['managedNamespaces']>

/** Writes the namespaces of its cluster sets to the status of each cluster. Its agent creates them and reports on them. */
export function managedNamespaces({ client, informers, events }: HubContext): ControllerSpec {
  const sets = informers.of(ManagedClusterSet)
  const clusters = informers.of(ManagedCluster)
  clusters.addIndex(BY_SET, ({ status }) => (status?.managedNamespaces ?? []).map(({ clusterSet }) => clusterSet))
  /** The clusters in the set, and those with namespaces of it in their status. */
  const affected = (set: ManagedClusterSet) => [
    ...clusters.list().filter(membershipOf(set)),
    ...clusters.byIndex(BY_SET, set.metadata.name),
  ]
  return {
    name: 'managed-namespaces',
    wakes: [
      each(clusters, undefined, { when: labelsChanged }),
      each(sets, (set) => affected(set).map(({ metadata }) => metadata), { when: generationChanged }),
    ],
    async reconcile(ref, { signal }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined || isBeingDeleted(cluster)) return
      const wanted = setsOf(cluster, sets.list())
        .filter((set) => !isBeingDeleted(set))
        .flatMap(({ metadata, spec }) =>
          (spec.managedNamespaces ?? []).map(({ name }) => ({ clusterSet: metadata.name, name })),
        )
        .sort((a, b) => compare(a.clusterSet, b.clusterSet) || compare(a.name, b.name))
      const after = await writeStatus(
        client,
        ManagedCluster,
        cluster,
        ({ status }) => {
          const managed = withConditions(wanted, status?.managedNamespaces ?? [])
          const { managedNamespaces: _, ...rest } = status ?? {}
          return managed.length === 0 ? rest : { ...rest, managedNamespaces: managed }
        },
        { signal },
      )
      if (after.metadata.resourceVersion === cluster.metadata.resourceVersion) return
      const note = `Updated managed namespaces for cluster ${JSON.stringify(ref.name)} (total: ${wanted.length})`
      events.record({ regarding: clusterReference(after), reason: RegistrationEvent.ManagedNamespacesUpdated, note })
    },
  }
}

/** Keeps the conditions that the agent reported for a namespace. */
function withConditions(
  wanted: readonly { readonly clusterSet: string; readonly name: string }[],
  known: ManagedNamespaces,
): ManagedNamespaces {
  const keyOf = ({ clusterSet, name }: { clusterSet: string; name: string }) => `${clusterSet}/${name}`
  const byKey = new Map(known.map((one) => [keyOf(one), one]))
  return wanted.map((one) => byKey.get(keyOf(one)) ?? one)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
