// Every row of the table of errors in docs/adapters.md, with a real server. Runs in a process of its own.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import type { NewManifestWork } from '@orrery/api'
import { applyAndReport } from '@orrery/hyperfleet'
import {
  isAlreadyExists,
  isBadRequest,
  isServerTimeout,
  isServiceUnavailable,
  isUnauthorized,
} from '@orrery/kinds/values'
import { isRetryable, type MaestroClientOptions, maestroWorkClient } from '@orrery/maestro'
import { databaseDirectory } from '../support/embedded-database.js'
import { running } from '../support/fleet.js'
import { freePort } from '../support/free-port.js'
import { type SecureMaestro, startSecureMaestro } from '../support/maestro-server.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { reportedConditions } from './example.js'

const TOKEN = 'correct-token'

function hostedCluster(consumer: string, labels: Record<string, string> = {}, finalizers?: string[]): NewManifestWork {
  const metadata = { name: 'my-cluster', namespace: 'clusters', ...(finalizers && { finalizers }) }
  const manifest = { apiVersion: 'hypershift.openshift.io/v1beta1', kind: 'HostedCluster', metadata, spec: {} }
  return {
    metadata: { name: 'hostedcluster-abc123', namespace: consumer, labels },
    spec: { workload: { manifests: [manifest] } },
  }
}

async function startAdapter(t: TestContext, options: MaestroClientOptions) {
  const client = maestroWorkClient(options)
  afterwards(t, () => client.close())
  const results = await temporaryDirectory(t)
  const apply = (work: NewManifestWork) =>
    applyAndReport({
      client,
      work,
      reportFile: join(results, 'adapter-report.json'),
      resultFile: join(results, 'adapter-result.json'),
    })
  return { client, apply, reported: () => reportedConditions(results) }
}

/** The tests share a server: to start one takes longer than most of them. */
let maestro: SecureMaestro
const stops: (() => Promise<void>)[] = []
before(async () => {
  maestro = await startSecureMaestro({ after: (stop) => void stops.push(stop as () => Promise<void>) }, [TOKEN])
})
after(async () => {
  for (const stop of stops) await stop()
})

/** An adapter with a token, and a consumer. */
async function startWith(t: TestContext, consumer: string, token = TOKEN, retry: MaestroClientOptions['retry'] = {}) {
  await maestro.server.core.consumers.create({ name: consumer })
  return startAdapter(t, { ...maestro.options, token, retry })
}

test('errors: a token that is not valid is reported without a retry, over REST and gRPC', async (t) => {
  const { client, apply, reported } = await startWith(t, 'unauthorized', 'wrong-token')
  await assert.rejects(apply(hostedCluster('unauthorized')), (error) => isUnauthorized(error) && !isRetryable(error))
  assert.deepEqual(await reported(), [
    'Applied=Unknown MaestroUnauthenticated',
    'Available=Unknown MaestroUnauthenticated',
    'Health=False MaestroUnauthenticated',
  ])
  const requests = 'rest_api_inbound_request_count{method="GET",path="/api/maestro/v1/resource-bundles/-",code="401"}'
  assert.equal(maestro.count(requests), 1)
  const created = client.manifestWorks('unauthorized').create(hostedCluster('unauthorized'))
  await assert.rejects(created, (error) => isUnauthorized(error) && !isRetryable(error))
  await assert.rejects(client.manifestWorks('unauthorized').watch().next(), isUnauthorized)
})

test('errors: a certificate that is not trusted is reported without a retry', async (t) => {
  const { apiUrl, grpcUrl, sourceId } = maestro.options
  const { apply, reported } = await startAdapter(t, { apiUrl, grpcUrl, sourceId, token: TOKEN })
  const untrusted = (error: Error) => /not signed by a trusted authority$/.test(error.message) && !isRetryable(error)
  await assert.rejects(apply(hostedCluster('untrusted')), untrusted)
  assert.deepEqual(await reported(), [
    'Applied=Unknown MaestroUntrusted',
    'Available=Unknown MaestroUntrusted',
    'Health=False MaestroUntrusted',
  ])
})

test('errors: a work that is not found is created', async (t) => {
  const { apply } = await startWith(t, 'missing')
  assert.equal((await apply(hostedCluster('missing'))).conditions[0]?.reason, 'ManifestWorkCreated')
  const requests = 'rest_api_inbound_request_count{method="GET",path="/api/maestro/v1/resource-bundles/-",code="404"}'
  assert.equal(maestro.count(requests), 1)
})

test('errors: a work that already exists is reported if it is its own, and not touched if it is not', async (t) => {
  const { client, apply, reported } = await startWith(t, 'existing')
  const own = hostedCluster('existing', { 'hyperfleet.io/adapter': 'controlplane' })
  const works = client.manifestWorks('existing')
  await works.create(own)
  await assert.rejects(works.create(own), (error) => isAlreadyExists(error) && !isRetryable(error))
  assert.equal(maestro.count('grpc_server_processed_total{type="Publish",code="AlreadyExists"}'), 1)
  assert.equal((await apply(own)).conditions[0]?.reason, 'ManifestWorkExists')
  const other = { ...own, metadata: { ...own.metadata, labels: { 'hyperfleet.io/adapter': 'dns' } } }
  await assert.rejects(apply(other), /belongs to another owner/)
  assert.equal((await reported())[0], 'Applied=False OwnedByAnother')
})

test('errors: a spec that the server rejects is reported without a retry', async (t) => {
  const { apply, reported } = await startWith(t, 'invalid')
  const invalid = apply(hostedCluster('invalid', {}, ['not a finalizer']))
  await assert.rejects(invalid, (error) => isBadRequest(error) && /metadata\.finalizers/.test((error as Error).message))
  assert.equal(maestro.count('grpc_server_processed_total{type="Publish",code="InvalidArgument"}'), 1)
  assert.deepEqual(await reported(), [
    'Applied=False InvalidManifestWork',
    'Available=False InvalidManifestWork',
    'Health=False InvalidManifestWork',
  ])
})

test('errors: a server that does not answer is a timeout, which is retried', async (t) => {
  const [rest, sources, agents, health, metrics] = await Promise.all(Array.from({ length: 5 }, () => freePort()))
  const ports = [
    `--http-server-bindport=${rest}`,
    `--grpc-server-bindport=${sources}`,
    `--grpc-broker-bindport=${agents}`,
    `--health-check-server-bindport=${health}`,
    `--metrics-server-bindport=${metrics}`,
  ]
  const server = running('maestro', 'server', '--data', await databaseDirectory(t), ...ports)
  afterwards(t, async () => {
    server.process.kill('SIGCONT')
    server.process.kill('SIGTERM')
    await server.ended
  })
  await server.says(/is ready on/)
  const options = { apiUrl: `http://127.0.0.1:${rest}`, grpcUrl: `127.0.0.1:${sources}`, sourceId: 'my-adapter' }
  const { client } = await startAdapter(t, options)
  await client.consumers.create({ name: 'slow' })

  const impatient = { ...options, requestMilliseconds: 300, retry: { attempts: 2, firstMilliseconds: 10 } }
  const { apply, reported } = await startAdapter(t, impatient)
  server.process.kill('SIGSTOP')
  await assert.rejects(apply(hostedCluster('slow')), (error) => isServerTimeout(error) && isRetryable(error))
  assert.equal((await reported())[2], 'Health=False MaestroUnavailable')
  server.process.kill('SIGCONT')
  const patient = await startAdapter(t, options)
  await patient.apply(hostedCluster('slow'))
  assert.equal((await patient.reported())[2], 'Health=True NoIssues')
})

test('errors: an unavailable server is retried until it is back', async (t) => {
  const { apply, reported } = await startWith(t, 'back', TOKEN, { attempts: 1_000, maxMilliseconds: 200 })
  await maestro.stop()
  const [report] = await Promise.all([apply(hostedCluster('back')), maestro.start()])
  assert.equal(report.conditions[0]?.reason, 'ManifestWorkCreated')
  assert.equal((await reported())[2], 'Health=True NoIssues')
})

test('errors: a server that stays unavailable is reported after five attempts', async (t) => {
  const { apply, reported } = await startWith(t, 'gone', TOKEN, { firstMilliseconds: 10 })
  await maestro.stop()
  await assert.rejects(apply(hostedCluster('gone')), (error) => isServiceUnavailable(error) && isRetryable(error))
  assert.deepEqual(await reported(), [
    'Applied=Unknown MaestroUnavailable',
    'Available=Unknown MaestroUnavailable',
    'Health=False MaestroUnavailable',
  ])
})
