// Runs in a process of its own: it starts a fleet.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { AddOnPlacementScore, Placement, PlacementDecision } from '@orrery/api'
import { Deployment, Pod } from '@orrery/kinds'
import { hasCondition } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { PLAYED_CONDITION } from '@orrery/node/conditions'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory } from '../support/fleet.js'
import { afterwards } from '../support/server.js'
import { copiesConfigMaps, type ExampleFleet, leavesNothing, reportsInFiveWays } from './example-story.js'

const NAMESPACE = 'open-cluster-management-agent-addon'
const scoreRef = (namespace: string) => ({ namespace, name: 'basic-addon-score' })

async function startFleet(t: TestContext): Promise<ExampleFleet> {
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
  return { hub: await clientOf('hub'), managed: await clientOf('cluster1'), cluster: 'cluster1' }
}

/** Makes the agent on cluster1 start anew. It reports at its start. */
async function restartAgent(cluster1: KubeClient): Promise<void> {
  const { items } = await cluster1.list(Pod, { namespace: NAMESPACE, labelSelector: 'app=basic-addon-agent' })
  for (const { metadata } of items) await cluster1.delete(Pod, metadata, { gracePeriodSeconds: 0 })
}

/** The Placement of the third strategy selects the cluster with fewer pods. */
async function placesByScore({ hub, managed: cluster1 }: ExampleFleet): Promise<void> {
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
async function runsNoProgramsElsewhere({ hub }: ExampleFleet): Promise<void> {
  const containers = [{ name: 'shell', image: 'orrery.dev/examples/helloworld', args: ['controller'] }]
  await hub.create(Pod, { metadata: { namespace: 'default', name: 'tenant' }, spec: { containers } })
  const isPlayed = ({ status }: Pod) => hasCondition(status?.conditions, PLAYED_CONDITION, 'True')
  await eventually('it is played', async () => isPlayed(await hub.get(Pod, { namespace: 'default', name: 'tenant' })))
  const { items } = await hub.list(Pod, { namespace: 'open-cluster-management' })
  assert.deepEqual(items.map(isPlayed), [false, false])
}

test('examples: helloworld and basic-addon run as programs of a fleet, report, and leave nothing behind', async (t) => {
  const fleet = await startFleet(t)
  await copiesConfigMaps(fleet)
  await reportsInFiveWays(fleet)
  await placesByScore(fleet)
  await runsNoProgramsElsewhere(fleet)
  await leavesNothing(fleet)
})
