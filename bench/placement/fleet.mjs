// A fleet of clusters that exist only on the hub, and placements like those of Open Cluster Management's benchmark.
import {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from '../../packages/api/dist/index.js'
import { Namespace } from '../../packages/kinds/dist/kinds/core.generated.js'

export const NAMESPACE = 'bench'
const SET = 'bench'
const SCORE = 'demo'
const CREATORS = 32

/** Several at a time. */
export async function createAll(count, create) {
  let next = 0
  const creator = async () => {
    for (let index = next++; index < count; index = next++) await create(index)
  }
  await Promise.all(Array.from({ length: CREATORS }, creator))
}

export function nameOf(cluster) {
  return `cluster${cluster}`
}

/** Creates the cluster set, its binding, and available clusters with a capacity and a score. */
export async function seed(client, clusters) {
  await client.create(Namespace, { metadata: { name: NAMESPACE } })
  await client.create(ManagedClusterSet, { metadata: { name: SET } })
  await client.create(ManagedClusterSetBinding, {
    metadata: { namespace: NAMESPACE, name: SET },
    spec: { clusterSet: SET },
  })
  await createAll(clusters, (index) => createCluster(client, index))
}

async function createCluster(client, index) {
  const name = nameOf(index)
  const labels = { 'cluster.open-cluster-management.io/clusterset': SET, pool: 'apps' }
  await client.create(ManagedCluster, { metadata: { name, labels }, spec: {} })
  const cpu = `${4 + (index % 61)}`
  const condition = {
    type: 'ManagedClusterConditionAvailable',
    status: 'True',
    reason: 'ManagedClusterAvailable',
    message: '',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  const status = { conditions: [condition], capacity: { cpu }, allocatable: { cpu } }
  await client.patch(ManagedCluster, { name }, { status }, { subresource: 'status' })
  await client.create(Namespace, { metadata: { name } })
  const score = { namespace: name, name: SCORE }
  await client.create(AddOnPlacementScore, { metadata: score })
  const scores = [{ name: SCORE, value: ((index * 37) % 201) - 100 }]
  await client.patch(AddOnPlacementScore, score, { status: { scores } }, { subresource: 'status' })
}

/** A placement by the score of an add-on, CPU and Balance, in the mode Exact. */
export function placementOf(index, numberOfClusters) {
  const builtIn = (name) => ({ scoreCoordinate: { type: 'BuiltIn', builtIn: name }, weight: 1 })
  const addOn = { resourceName: SCORE, scoreName: SCORE }
  const configurations = [
    { scoreCoordinate: { type: 'AddOn', addOn }, weight: 1 },
    builtIn('ResourceAllocatableCPU'),
    builtIn('Balance'),
  ]
  const requiredClusterSelector = { labelSelector: { matchLabels: { pool: 'apps' } } }
  return {
    metadata: { namespace: NAMESPACE, name: `placement-${index}` },
    spec: {
      numberOfClusters,
      predicates: [{ requiredClusterSelector }],
      prioritizerPolicy: { mode: 'Exact', configurations },
    },
  }
}
