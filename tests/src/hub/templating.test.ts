import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  ManagedCluster,
  ManifestWorkReplicaSet,
  METADATA_TEMPLATE_ANNOTATION,
  TEMPLATING_ANNOTATION,
} from '@orrery/api'
import { writeStatus } from '@orrery/kube'
import { HubServer } from './hub-server.js'
import {
  changeTemplate,
  condition,
  configMapWork,
  createSet,
  dataOf,
  decide,
  FEATURES,
  NAMESPACE,
  reportWork,
  withClusters,
  worksByCluster,
} from './works.js'

const annotations = { [TEMPLATING_ANNOTATION]: 'true' }

async function start(t: Parameters<typeof HubServer.start>[0]): Promise<HubServer> {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1', 'c2')
  await decide(hub, 'p1', ['c1', 'c2'])
  return hub
}

async function describe(hub: HubServer, name: string, region: string, id: string): Promise<void> {
  const cluster = await hub.client.patch(ManagedCluster, { name }, { metadata: { labels: { region } } })
  const clusterClaims = [{ name: 'id.k8s.io', value: id }]
  await writeStatus(hub.client, ManagedCluster, cluster, ({ status }) => ({ ...status, clusterClaims }))
}

async function data(hub: HubServer): Promise<Record<string, unknown>> {
  await hub.settle()
  const works = [...(await worksByCluster(hub)).values()]
  return Object.fromEntries(works.map((work) => [work.metadata.namespace, dataOf(work)]))
}

suite('replica set with templating', () => {
  test('fills in names, labels and claims of each cluster', async (t) => {
    const hub = await start(t)
    await describe(hub, 'c1', 'east', 'one')
    await describe(hub, 'c2', 'west', 'two')
    const template = configMapWork({
      who: '{{cluster.name}}.{{cluster.labels["region"]}}',
      id: "{{cluster.claims['id.k8s.io']}}",
    })
    await createSet(hub, 'web', { template, annotations })
    assert.deepEqual(await data(hub), { c1: { who: 'c1.east', id: 'one' }, c2: { who: 'c2.west', id: 'two' } })
    await describe(hub, 'c1', 'north', 'one')
    await describe(hub, 'c2', 'west', 'three')
    assert.deepEqual(await data(hub), { c1: { who: 'c1.north', id: 'one' }, c2: { who: 'c2.west', id: 'three' } })
    await reportWork(hub, 'done', 'c1', 'c2')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })

  test('names the cluster without a value, and continues with the others', async (t) => {
    const hub = await start(t)
    await describe(hub, 'c2', 'west', 'two')
    const template = configMapWork({ region: "{{cluster.labels['region']}}" })
    const rolloutStrategy = { type: 'Progressive' as const, progressive: { maxConcurrency: 1 } }
    await createSet(hub, 'web', { template, annotations, rolloutStrategy })
    const message = /^c1: workload\.manifests\[0\]\.data\.region: the cluster has no label "region"$/
    await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', message)
    assert.deepEqual(await data(hub), { c2: { region: 'west' } })
    await reportWork(hub, 'done', 'c2')
    await condition(hub, 'web', 'PlacementRolledOut', 'Progressing', /not rolled out to c1: /)
    await describe(hub, 'c1', 'east', 'one')
    assert.deepEqual(await data(hub), { c1: { region: 'east' }, c2: { region: 'west' } })
    await changeTemplate(hub, 'web', configMapWork({ region: "{{cluster.labels['zone'] ?? 'none'}}" }))
    await reportWork(hub, 'done', 'c1')
    assert.deepEqual((await data(hub)).c1, { region: 'none' })
  })

  test('keeps the work of a cluster that has lost a value', async (t) => {
    const hub = await start(t)
    await describe(hub, 'c1', 'east', 'one')
    await describe(hub, 'c2', 'west', 'two')
    await createSet(hub, 'web', { template: configMapWork({ region: "{{cluster.labels['region']}}" }), annotations })
    await data(hub)
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { region: null } } })
    await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', /^c1: /)
    assert.deepEqual(await data(hub), { c1: { region: 'east' }, c2: { region: 'west' } })
  })

  test('fills in names, namespaces and labels, and numbers where they are expected', async (t) => {
    const hub = await start(t)
    await describe(hub, 'c1', 'east', 'one')
    await describe(hub, 'c2', 'west', 'two')
    const metadata = {
      namespace: 'default',
      name: 'web',
      annotations: {
        [METADATA_TEMPLATE_ANNOTATION]: JSON.stringify({
          namespace: '{{cluster.name}}',
          labels: { region: "{{cluster.labels['region']}}" },
        }),
      },
    }
    const spec = { replicas: "{{number(cluster.labels['replicas'] ?? '2')}}" }
    const manifests = [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }]
    await createSet(hub, 'web', { template: { workload: { manifests } }, annotations })
    await hub.settle()
    const [manifest] = (await worksByCluster(hub)).get('c1')?.spec?.workload?.manifests ?? []
    assert.deepEqual(manifest?.metadata, { namespace: 'c1', name: 'web', labels: { region: 'east' } })
    assert.deepEqual(manifest?.spec, { replicas: 2 })
    await reportWork(hub, 'done', 'c1', 'c2')
    await condition(hub, 'web', 'PlacementRolledOut', 'Complete')
  })

  test('reports an invalid template, and keeps the works', async (t) => {
    const hub = await start(t)
    await createSet(hub, 'web', { template: configMapWork({ who: '{{cluster.name}}' }), annotations })
    assert.deepEqual(await data(hub), { c1: { who: 'c1' }, c2: { who: 'c2' } })
    await changeTemplate(hub, 'web', configMapWork({ who: '{{ .Release.Name }}' }))
    const message =
      /^the template is not valid: workload\.manifests\[0\]\.data\.who: "\{\{ \.Release\.Name }}" is no expression/
    await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', message)
    assert.deepEqual(await data(hub), { c1: { who: 'c1' }, c2: { who: 'c2' } })
    const ref = { namespace: NAMESPACE, name: 'web' }
    await hub.client.patch(ManifestWorkReplicaSet, ref, {
      metadata: { annotations: { [TEMPLATING_ANNOTATION]: 'yes' } },
    })
    await condition(hub, 'web', 'ManifestworkApplied', 'NotAsExpected', /templating is "yes", not true or false/)
  })
})

test('replica set without templating: is not changed, braces included', async (t) => {
  const hub = await start(t)
  await createSet(hub, 'web', { template: configMapWork({ chart: '{{ .Values.x }} {{cluster.name}}' }) })
  assert.deepEqual((await data(hub)).c1, { chart: '{{ .Values.x }} {{cluster.name}}' })
})
