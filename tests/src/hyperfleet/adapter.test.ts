// Runs in a process of its own: it starts a Maestro server, a cluster and its agent.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, type TestContext, test } from 'node:test'
import { startWork } from '@orrery/agent'
import { type ManifestWork, spokeCrds } from '@orrery/api'
import { type ApiObject, type CustomResourceDefinition, type Draft, type Kind, Namespace } from '@orrery/kinds'
import { clientFrom, isNotFound, type KubeClient } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { ensureCrds } from '@orrery/kube/write'
import { type MaestroWorkClient, maestroWorkClient } from '@orrery/maestro'
import { grpcSource, parseGrpcConfig } from '@orrery/maestro/agent'
import { startMaestroServer } from '@orrery/maestro/server'
import { databaseDirectory } from '../support/embedded-database.js'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'
import { reportedConditions, runExample } from './example.js'

const CONSUMER = 'us-east-mgmt-01'

const HostedCluster: Kind<ApiObject, object> = {
  group: 'hypershift.openshift.io',
  version: 'v1beta1',
  kind: 'HostedCluster',
  plural: 'hostedclusters',
  scope: 'Namespaced',
} as Kind<ApiObject, object>

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const
const HOSTED_CLUSTERS: Draft<CustomResourceDefinition> = {
  metadata: { name: 'hostedclusters.hypershift.openshift.io' },
  spec: {
    group: HostedCluster.group,
    scope: 'Namespaced',
    names: {
      plural: 'hostedclusters',
      singular: 'hostedcluster',
      kind: 'HostedCluster',
      listKind: 'HostedClusterList',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: anything },
        subresources: { status: {} },
      },
    ],
  },
}

const CLUSTER = { namespace: 'clusters', name: 'my-cluster' }

interface Management {
  readonly cluster: KubeClient
  readonly maestro: MaestroWorkClient
  /** The environment of the adapter. */
  readonly environment: Readonly<Record<string, string>>
}

/** Shared by the tests, which delete their works. */
let management: Management
const ends: (() => unknown)[] = []

before(async () => {
  management = await startManagementCluster({ after: (end) => void ends.push(end as () => unknown) })
})

afterEach(async () => {
  const works = management.maestro.manifestWorks(CONSUMER)
  for (const { metadata } of (await works.list()).items) await works.delete(metadata.name ?? '')
  await eventually('the works are gone', async () => (await works.list()).items.length === 0)
})

after(async () => {
  for (const end of ends) await end()
})

/** A Maestro server, and a management cluster that knows HostedClusters and takes its works from there. */
async function startManagementCluster(t: Pick<TestContext, 'after'>): Promise<Management> {
  const { kubeconfig } = await startServer(t)
  const cluster = await clientFrom(kubeconfigSource({ path: kubeconfig }))
  await ensureCrds(cluster, [...spokeCrds(), HOSTED_CLUSTERS], { fieldManager: 'test' })
  await cluster.create(Namespace, { metadata: { name: CLUSTER.namespace } })

  const ports = { rest: 0, sources: 0, agents: 0, health: false, metrics: false } as const
  const server = await startMaestroServer({ database: { directory: await databaseDirectory(t) }, ports })
  afterwards(t, () => server.close())
  const urls = { apiUrl: `http://127.0.0.1:${server.ports.rest}`, grpcUrl: `127.0.0.1:${server.ports.sources}` }
  const maestro = maestroWorkClient({ ...urls, sourceId: 'my-adapter' })
  afterwards(t, () => maestro.close())
  await maestro.consumers.create({ name: CONSUMER })

  const config = parseGrpcConfig(JSON.stringify({ url: `127.0.0.1:${server.ports.agents}` }), 'grpc.yaml')
  const source = await grpcSource(config, { clusterName: CONSUMER })
  const agent = await startWork({ source, spoke: cluster, features: { RawFeedbackJsonString: true } })
  afterwards(t, async () => {
    await agent.close()
    await source.close()
  })
  await agent.whenRunning()
  const environment = {
    MAESTRO_API_URL: urls.apiUrl,
    MAESTRO_GRPC_URL: urls.grpcUrl,
    MANAGEMENT_CLUSTER_CONSUMER: CONSUMER,
  }
  return { cluster, maestro, environment }
}

/** The same with a new directory for the results of the adapter. */
async function withResults(t: TestContext): Promise<Management & { readonly results: string }> {
  const results = await temporaryDirectory(t)
  return { ...management, environment: { ...management.environment, RESULTS_DIR: results }, results }
}

/** What the operator of HostedClusters does. */
async function makeAvailable(cluster: KubeClient): Promise<void> {
  await eventually('the HostedCluster exists', () => exists(cluster))
  const status = {
    conditions: [{ type: 'Available', status: 'True' }],
    controlPlaneEndpoint: 'api.my-cluster.example.com',
  }
  await cluster.patch(HostedCluster, CLUSTER, { status }, { subresource: 'status' })
}

async function exists(cluster: KubeClient): Promise<boolean> {
  try {
    await cluster.get(HostedCluster, CLUSTER)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

test('hyperfleet-adapter: creates a HostedCluster, waits for it, reads feedback and writes results', async (t) => {
  const { cluster, environment, results } = await withResults(t)
  const read = async (file: string) => JSON.parse(await readFile(join(results, file), 'utf8'))

  const first = await runExample([], environment)
  assert.deepEqual(first, {
    status: 0,
    output: 'Applied=True ManifestWorkCreated\nAvailable=False Provisioning\nHealth=True NoIssues\n',
  })
  assert.deepEqual((await read('adapter-report.json')).conditions, [
    { type: 'Applied', status: 'True', reason: 'ManifestWorkCreated' },
    { type: 'Available', status: 'False', reason: 'Provisioning' },
    { type: 'Health', status: 'True', reason: 'NoIssues' },
  ])

  const waiting = runExample([], { ...environment, WAIT_SECONDS: '50' })
  await makeAvailable(cluster)
  const second = await waiting
  assert.deepEqual(second, {
    status: 0,
    output: 'Applied=True ManifestWorkExists\nAvailable=True ControlPlaneReady\nHealth=True NoIssues\n',
  })
  assert.deepEqual((await read('adapter-report.json')).data, { control_plane_endpoint: 'api.my-cluster.example.com' })
  const { status, reason } = await read('adapter-result.json')
  assert.deepEqual({ status, reason }, { status: 'success', reason: 'ControlPlaneReady' })
})

test('hyperfleet-adapter: exits with an error that names the problem, and writes it to the results', async (t) => {
  const { maestro, environment, results } = await withResults(t)
  const reasons = () => reportedConditions(results)

  const unset = await runExample([], { ...environment, MANAGEMENT_CLUSTER_CONSUMER: '' })
  assert.deepEqual([unset.status, /MANAGEMENT_CLUSTER_CONSUMER is not set: /.test(unset.output)], [1, true])

  const unregistered = await runExample([], { ...environment, MANAGEMENT_CLUSTER_CONSUMER: 'nowhere' })
  assert.equal(unregistered.status, 1)
  assert.match(unregistered.output, /consumer "nowhere" is not registered in Maestro: /)
  assert.equal((await reasons())[2], 'Health=False ApplyFailed')

  const invalid = await runExample([], { ...environment, CLUSTER_ID: 'Not A Name' })
  assert.equal(invalid.status, 1)
  assert.equal((await reasons())[0], 'Applied=False InvalidManifestWork', invalid.output)

  const unavailable = await runExample([], { ...environment, MAESTRO_API_URL: 'http://127.0.0.1:9' })
  assert.equal(unavailable.status, 1)
  assert.deepEqual(await reasons(), [
    'Applied=Unknown MaestroUnavailable',
    'Available=Unknown MaestroUnavailable',
    'Health=False MaestroUnavailable',
  ])

  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }
  await maestro.manifestWorks(CONSUMER).create({
    metadata: { name: 'hostedcluster-abc123', namespace: CONSUMER, labels: { 'hyperfleet.io/adapter': 'dns' } },
    spec: { workload: { manifests: [manifest] } },
  })
  const owned = await runExample([], environment)
  assert.match(owned.output, /"us-east-mgmt-01\/hostedcluster-abc123" belongs to another owner/)
  assert.equal((await reasons())[0], 'Applied=False OwnedByAnother')
})

test('hyperfleet-adapter: handles events as its files describe, from creation to deletion', async (t) => {
  const { cluster, environment, maestro } = await withResults(t)
  let body: object = { id: 'abc123', name: 'my-cluster', spec: { platform: { type: 'GCP' } } }
  const reports: { conditions: { type: string; status: string; reason: string }[] }[] = []
  const api = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      if (request.method === 'PUT') reports.push(JSON.parse(text))
      response.writeHead(request.method === 'PUT' ? 201 : 200).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(api, 'listening')
  afterwards(t, () => void api.close())
  const flags = {
    ...environment,
    HYPERFLEET_ADAPTER_CONFIG: 'adapter-config.yaml',
    HYPERFLEET_TASK_CONFIG: 'task-config.yaml',
    HYPERFLEET_API_BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    HYPERFLEET_MAESTRO_HTTP_SERVER_ADDRESS: environment.MAESTRO_API_URL ?? '',
    HYPERFLEET_MAESTRO_GRPC_SERVER_ADDRESS: environment.MAESTRO_GRPC_URL ?? '',
    HYPERFLEET_MAESTRO_SOURCE_ID: 'my-adapter',
  }
  const handle = async () => {
    const { status, output } = await runExample(['run', '--event', 'event.json'], flags)
    assert.equal(status, 0, output)
    return Object.fromEntries(reports.at(-1)?.conditions.map(({ type, status }) => [type, status]) ?? [])
  }
  assert.deepEqual(await handle(), { Applied: 'True', Available: 'False', Health: 'True', Finalized: 'False' })
  assert.equal(reports.at(-1)?.conditions[0]?.reason, 'ManifestWorkExists')
  await makeAvailable(cluster)
  const works = maestro.manifestWorks(CONSUMER)
  await eventually('the work reports the availability', async () =>
    reportsAvailable(await works.get('hostedcluster-abc123')),
  )
  assert.deepEqual(await handle(), { Applied: 'True', Available: 'True', Health: 'True', Finalized: 'False' })

  body = { ...body, deleted_time: '2030-01-01T00:00:00Z' }
  await handle()
  await eventually('the HostedCluster is gone', async () => !(await exists(cluster)))
  await eventually('the work is gone', async () => (await works.list()).items.length === 0)
  assert.deepEqual(await handle(), { Applied: 'False', Available: 'False', Health: 'True', Finalized: 'True' })
  assert.equal(reports.at(-1)?.conditions[0]?.reason, 'ManifestWorkNotDiscovered')
})

function reportsAvailable({ status }: ManifestWork): boolean {
  return JSON.stringify(status?.resourceStatus ?? {}).includes('"available"')
}
