// Runs in a process of its own: it starts a fleet.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  AddOnPlacementScore,
  ClusterClaim,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  Placement,
  PlacementDecision,
} from '@orrery/api'
import { ConfigMap, Deployment, Lease, Pod, Secret } from '@orrery/kinds'
import { findCondition, hasCondition } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { PLAYED_CONDITION } from '@orrery/node/conditions'
import { orrery } from '../support/cli.js'
import { fleetDirectory } from '../support/fleet.js'
import { afterwards } from '../support/server.js'

const NAMESPACE = 'open-cluster-management-agent-addon'
const OF_BASIC_ADDON = { namespace: 'cluster1', labelSelector: 'open-cluster-management.io/addon-name=basic-addon' }
const scoreRef = (namespace: string) => ({ namespace, name: 'basic-addon-score' })

interface Fleet {
  readonly hub: KubeClient
  readonly cluster1: KubeClient
}

async function startFleet(t: TestContext): Promise<Fleet> {
  const directory = await fleetDirectory(t)
  const addons = ['--addon', 'helloworld', '--addon', 'basic-addon']
  const { code, out, errors } = await orrery('up', '--data', directory, '--clusters', '2', '--detach', ...addons)
  assert.equal(code, 0, errors)
  for (const cluster of ['cluster1', 'cluster2']) {
    for (const addon of ['helloworld', 'basic-addon']) assert.match(out, new RegExp(`^${cluster} +${addon} +True`, 'm'))
  }
  const clientOf = async (context: string) => {
    const client = await clientFrom(kubeconfigSource({ path: join(directory, 'kubeconfig'), context }))
    afterwards(t, () => client.close())
    return client
  }
  return { hub: await clientOf('hub'), cluster1: await clientOf('cluster1') }
}

/** Makes the agent on cluster1 start anew. It reports at its start. */
async function restartAgent(cluster1: KubeClient): Promise<void> {
  const { items } = await cluster1.list(Pod, { namespace: NAMESPACE, labelSelector: 'app=basic-addon-agent' })
  for (const { metadata } of items) await cluster1.delete(Pod, metadata, { gracePeriodSeconds: 0 })
}

async function copiesConfigMaps({ hub, cluster1 }: Fleet): Promise<void> {
  const greeting = { namespace: 'cluster1', name: 'greeting' }
  await hub.create(ConfigMap, { metadata: greeting, data: { hello: 'world' } })
  const copy = await eventually('it is copied', () => cluster1.find(ConfigMap, { ...greeting, namespace: NAMESPACE }))
  assert.deepEqual([copy.data, copy.metadata.labels], [{ hello: 'world' }, { 'synced-from-hub': '' }])
  assert.equal(await cluster1.find(ConfigMap, { namespace: NAMESPACE, name: 'pod-report' }), undefined)
}

async function reportsInFiveWays({ hub }: Fleet): Promise<void> {
  const { data } = await eventually('the pods are reported', () =>
    hub.find(ConfigMap, { namespace: 'cluster1', name: 'pod-report' }),
  )
  const report = JSON.parse(data?.report ?? '') as { clusterName: string; totalPods: number; pods: unknown[] }
  assert.equal(report.clusterName, 'cluster1')
  assert.equal(report.totalPods, report.pods.length)
  await eventually('the condition is reported', async () => {
    const { status } = await hub.get(ManagedClusterAddOn, { namespace: 'cluster1', name: 'basic-addon' })
    return findCondition(status?.conditions, 'PodCountHealthy')?.reason === 'PodCountWithinLimit'
  })
  const score = await eventually('the scores are reported', async () => {
    const found = await hub.find(AddOnPlacementScore, scoreRef('cluster1'))
    return found?.status?.scores === undefined ? undefined : found
  })
  assert.deepEqual(score.status?.scores?.map(({ name }) => name).sort(), ['namespaceCount', 'podCount'])
  await eventually('the claim is reported', async () => {
    const { status } = await hub.get(ManagedCluster, { name: 'cluster1' })
    return /^v1\./.test(status?.clusterClaims?.find(({ name }) => name === 'basic-addon.k8s-version')?.value ?? '')
  })
  const { items: works } = await hub.list(ManifestWork, OF_BASIC_ADDON)
  assert.deepEqual(
    works.map(({ metadata }) => metadata.name),
    ['addon-basic-addon-deploy-0'],
  )
  const feedback = works[0]?.status?.resourceStatus?.manifests?.flatMap(
    ({ statusFeedback }) => statusFeedback?.values ?? [],
  )
  const integerOf = (name: string) => feedback?.find((value) => value.name === name)?.fieldValue.integer
  assert.deepEqual([integerOf('readyReplicas'), integerOf('availableReplicas')], [1, 1])
}

/** The Placement of the third strategy selects the cluster with fewer pods. */
async function placesByScore({ hub, cluster1 }: Fleet): Promise<void> {
  const labels = { app: 'busy' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'example.com/web' }] } }
  await cluster1.create(Deployment, {
    metadata: { namespace: 'default', name: 'busy' },
    spec: { replicas: 8, selector: { matchLabels: labels }, template },
  })
  await eventually(
    'the pods exist',
    async () => (await cluster1.list(Pod, { namespace: 'default' })).items.length === 8,
  )
  await restartAgent(cluster1)
  const podCount = async (cluster: string) =>
    (await hub.find(AddOnPlacementScore, scoreRef(cluster)))?.status?.scores?.find(({ name }) => name === 'podCount')
      ?.value
  await eventually('the score of cluster1 is lower', async () => {
    const [first, second] = [await podCount('cluster1'), await podCount('cluster2')]
    return first !== undefined && second !== undefined && first < second
  })
  const addOn = { resourceName: 'basic-addon-score', scoreName: 'podCount' }
  const metadata = { namespace: 'open-cluster-management', name: 'least-pods' }
  await hub.create(Placement, {
    metadata,
    spec: {
      numberOfClusters: 1,
      clusterSets: ['global'],
      prioritizerPolicy: {
        mode: 'Exact',
        configurations: [{ scoreCoordinate: { type: 'AddOn', addOn }, weight: 1 }],
      },
    },
  })
  const selection = {
    namespace: metadata.namespace,
    labelSelector: 'cluster.open-cluster-management.io/placement=least-pods',
  }
  await eventually('cluster2 is selected', async () => {
    const { items } = await hub.list(PlacementDecision, selection)
    return items[0]?.status?.decisions?.map(({ clusterName }) => clusterName).join() === 'cluster2'
  })
}

/** Users who may create pods in another namespace of the hub cannot run programs on its machine. */
async function runsNoProgramsElsewhere({ hub }: Fleet): Promise<void> {
  const containers = [{ name: 'shell', image: 'orrery.dev/examples/helloworld', args: ['controller'] }]
  await hub.create(Pod, { metadata: { namespace: 'default', name: 'tenant' }, spec: { containers } })
  const isPlayed = ({ status }: Pod) => hasCondition(status?.conditions, PLAYED_CONDITION, 'True')
  await eventually('it is played', async () => isPlayed(await hub.get(Pod, { namespace: 'default', name: 'tenant' })))
  const { items } = await hub.list(Pod, { namespace: 'open-cluster-management' })
  assert.deepEqual(items.map(isPlayed), [false, false])
}

async function leavesNothing({ hub, cluster1 }: Fleet): Promise<void> {
  for (const name of ['helloworld', 'basic-addon']) await hub.delete(ClusterManagementAddOn, { name })
  const left = async () => {
    const local = { namespace: NAMESPACE }
    const names = [
      ...(await cluster1.list(Deployment, local)).items,
      ...(await cluster1.list(Lease, local)).items,
      ...(await cluster1.list(Secret, local)).items,
      ...(await cluster1.list(ConfigMap, local)).items,
      ...(await cluster1.list(Pod, local)).items,
      ...(await cluster1.list(ClusterClaim)).items,
      ...(await hub.list(ManagedClusterAddOn)).items,
      ...(await hub.list(ManifestWork)).items,
      ...(await hub.list(AddOnPlacementScore)).items,
      ...(await hub.list(ConfigMap, OF_BASIC_ADDON)).items,
    ].map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    return names.filter((name) => name !== 'ConfigMap kube-root-ca.crt')
  }
  let seen: string[] = []
  await eventually(
    'nothing is left',
    async () => {
      seen = await left()
      return seen.length === 0
    },
    { seen: () => seen },
  )
}

test('examples: helloworld and basic-addon run as programs of a fleet, report, and leave nothing behind', async (t) => {
  const fleet = await startFleet(t)
  await copiesConfigMaps(fleet)
  await reportsInFiveWays(fleet)
  await placesByScore(fleet)
  await runsNoProgramsElsewhere(fleet)
  await leavesNothing(fleet)
})
