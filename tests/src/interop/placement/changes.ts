import { AddOnPlacementScore, CLUSTER_SET_LABEL, ManagedCluster } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import type { Random } from '../../fuzz/random.js'
import { type Fleet, type FleetCluster, generateCluster } from './fleet.js'

/** A change of one object, and how to make it on a hub. */
export interface Change {
  readonly what: string
  apply(client: KubeClient): Promise<unknown>
}

/** Changes of clusters and their scores, as an agent, an administrator or an add-on makes them. */
export function generateChanges(random: Random, fleet: Fleet, count: number, now: Date): Change[] {
  const clusters = fleet.clusters.filter(({ isBeingDeleted }) => !isBeingDeleted)
  const gone = new Set<string>()
  return Array.from({ length: count }, () => {
    const cluster = random.pick(clusters.filter(({ name }) => !gone.has(name)))
    const changed = generateCluster(random, 0, now)
    const kind = random.pick(['labels', 'set', 'taints', 'taints', 'status', 'status', 'scores', 'scores', 'deletion'])
    if (kind === 'deletion') gone.add(cluster.name)
    return change(kind, cluster, changed)
  })
}

function change(kind: string, { name, labels, scores }: FleetCluster, changed: FleetCluster): Change {
  const patch = (body: object) => (client: KubeClient) => client.patch(ManagedCluster, { name }, body)
  const what = `${kind} of ${name}`
  switch (kind) {
    case 'labels': {
      const { [CLUSTER_SET_LABEL]: _, ...removed } = Object.fromEntries(Object.keys(labels).map((key) => [key, null]))
      const { [CLUSTER_SET_LABEL]: __, ...added } = changed.labels
      return { what, apply: patch({ metadata: { labels: { ...removed, ...added } } }) }
    }
    case 'set': {
      const set = changed.labels[CLUSTER_SET_LABEL] ?? null
      return { what, apply: patch({ metadata: { labels: { [CLUSTER_SET_LABEL]: set } } }) }
    }
    case 'taints':
      return { what, apply: patch({ spec: { taints: changed.spec.taints ?? null } }) }
    case 'status': {
      const status = { allocatable: null, capacity: null, ...changed.status }
      return { what, apply: (client) => client.patch(ManagedCluster, { name }, { status }, { subresource: 'status' }) }
    }
    case 'scores':
      return { what, apply: (client) => replaceScores(client, name, scores, changed.scores) }
    default:
      return { what, apply: (client) => client.delete(ManagedCluster, { name }) }
  }
}

/** Replaces the values of the first resource that the cluster has scores of. */
async function replaceScores(
  client: KubeClient,
  namespace: string,
  [first]: FleetCluster['scores'],
  changed: FleetCluster['scores'],
): Promise<void> {
  if (first === undefined) return
  const scores = changed.find(({ resource }) => resource === first.resource)?.scores ?? []
  const status = { scores }
  await client.patch(AddOnPlacementScore, { namespace, name: first.resource }, { status }, { subresource: 'status' })
}
