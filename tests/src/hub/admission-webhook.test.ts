import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from 'node:tls'
import { ManagedCluster, ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1, WEBHOOK_SERVICE } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { installHub } from '@orrery/hub'
import { MutatingWebhookConfiguration, Namespace, ValidatingWebhookConfiguration } from '@orrery/kinds'
import { KubeClient } from '@orrery/kube'
import type { Transport } from '@orrery/kube/client'
import { conversionTarget, installWebhooks, webhookConfigurations } from '@orrery/webhook'
import { issueTest, startTestWebhooks, type TestWebhooks, writeServingCertificate } from './admission-hub.js'

const CLUSTERS = '/validate-cluster-open-cluster-management-io-v1-managedcluster'

/** A hub that is unreachable. */
const silentHub: Transport = { request: () => Promise.reject(new Error('the hub is down')) }

interface Reply {
  readonly status: number
  readonly text: string
}

async function send(hooks: TestWebhooks, path: string, body?: string, options: RequestOptions = {}): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...options.headers }
  const request = httpsRequest({
    host: 'localhost',
    port: hooks.server.port,
    ca: hooks.ca,
    path,
    method: body === undefined ? 'GET' : 'POST',
    agent: false,
    ...options,
    headers,
  })
  request.end(body)
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, text }
}

function review(request: object): string {
  const resource = { group: 'cluster.open-cluster-management.io', version: 'v1', resource: 'managedclusters' }
  const whole = { uid: 'u1', operation: 'CREATE', userInfo: { username: 'jane' }, resource, ...request }
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: whole })
}

function cluster(spec: object) {
  return { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster', metadata: { name: 'c1' }, spec }
}

function start(t: TestContext, options: { clientAuthority?: string } = {}): Promise<TestWebhooks> {
  return startTestWebhooks(t, { client: new KubeClient(silentHub), ...options })
}

test('webhook server: answers probes, and serves metrics only to authorized users', async (t) => {
  const hooks = await start(t)
  assert.deepEqual(await send(hooks, '/healthz'), { status: 200, text: 'ok' })
  assert.deepEqual(await send(hooks, '/readyz'), { status: 200, text: 'ok' })
  await send(hooks, CLUSTERS, review({ object: cluster({}) }))
  assert.equal((await send(hooks, '/metrics')).status, 401)
  const asked = await send(hooks, '/metrics', undefined, { headers: { authorization: 'Bearer abc' } })
  assert.equal(asked.status, 500)
  assert.doesNotMatch(asked.text, /the hub is down/, 'the reason is not shown to callers')
  const text = hooks.server.metrics.render()
  assert.ok(text.includes(`controller_runtime_webhook_requests_total{webhook="${CLUSTERS}",code="200"} 1`), text)
  assert.match(text, /controller_runtime_webhook_latency_seconds_count\{webhook=/)
  assert.equal((await send(hooks, '/other')).status, 404)
})

test('webhook server: answers a review in its own version and with its own uid', async (t) => {
  const hooks = await start(t)
  const asked = review({ object: cluster({}) })
  assert.deepEqual(JSON.parse((await send(hooks, `${CLUSTERS}?timeout=10s`, asked)).text), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u1', allowed: true },
  })
  const older = asked.replace('admission.k8s.io/v1', 'admission.k8s.io/v1beta1')
  assert.equal(JSON.parse((await send(hooks, CLUSTERS, older)).text).apiVersion, 'admission.k8s.io/v1beta1')
  const deleted = review({ operation: 'DELETE', object: null, oldObject: cluster({}) })
  assert.equal(JSON.parse((await send(hooks, CLUSTERS, deleted)).text).response.allowed, true)
})

test('webhook server: rejects an invalid review, and continues', async (t) => {
  const hooks = await start(t)
  const pods = { resource: { group: '', version: 'v1', resource: 'pods' }, object: cluster({}) }
  const cases: [body: string, status: number, text: string][] = [
    ['', 400, 'the body is not valid JSON'],
    ['null', 400, 'expected an AdmissionReview'],
    ['[]', 400, 'expected an AdmissionReview'],
    [review({}).replace('/v1"', '/v9"'), 400, 'expected an AdmissionReview'],
    ['{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', 400, 'the review has no request'],
    [review({ uid: 5 }), 400, 'request.uid is missing'],
    [review({}), 400, 'the review has no object'],
    [review({ object: { kind: 'ManagedCluster' } }), 400, 'the review has no metadata'],
    [review({ operation: 'UPDATE', object: cluster({}) }), 400, 'the review has no oldObject'],
    [review({ object: cluster({}), userInfo: null }), 400, 'the review has no userInfo'],
    [review(pods), 400, 'not for pods.: check its configuration'],
    [review({ subResource: 'status', object: cluster({}) }), 400, 'not for managedclusters.cluster'],
  ]
  for (const [body, status, text] of cases) {
    const reply = await send(hooks, CLUSTERS, body)
    assert.equal(reply.status, status, body)
    assert.ok(reply.text.includes(text), `${body}: ${reply.text}`)
  }
  assert.equal((await send(hooks, CLUSTERS)).status, 405)
  assert.equal((await send(hooks, '/healthz', '{}')).status, 404)
  assert.equal((await send(hooks, CLUSTERS, '{}', { headers: { 'content-type': 'text/plain' } })).status, 415)
  const announced = { headers: { 'content-length': 7 * 1024 * 1024 + 1 } }
  assert.equal((await send(hooks, CLUSTERS, '{}', announced)).status, 413)
  const garbage = JSON.stringify({ kind: 'ConversionReview', request: { objects: 5 } })
  assert.equal((await send(hooks, '/convert', garbage)).status, 400)
  assert.equal((await send(hooks, '/healthz')).status, 200)
})

test('webhook server: denies requests if the hub cannot be queried', async (t) => {
  const hooks = await start(t)
  const { text } = await send(hooks, CLUSTERS, review({ object: cluster({ hubAcceptsClient: true }) }))
  const { allowed, status } = JSON.parse(text).response
  assert.equal(allowed, false)
  assert.equal(status.code, 500)
  assert.match(status.message, /cannot query the hub about the request: the hub is down/)
})

test('webhook server: requires client certificates, except for probes', async (t) => {
  const { authority } = await start(t)
  const hooks = await start(t, { clientAuthority: authority.certificatePem })
  const asked = review({ object: cluster({}) })
  assert.equal((await send(hooks, '/readyz')).status, 200)
  assert.equal((await send(hooks, CLUSTERS, asked)).status, 401)
  const stranger = issueTest(hooks.authority, 'kube-apiserver', 'client auth')
  assert.equal((await send(hooks, CLUSTERS, asked, stranger)).status, 401)
  const known = issueTest(authority, 'kube-apiserver', 'client auth')
  assert.equal((await send(hooks, CLUSTERS, asked, known)).status, 200)
})

async function servedName({ server, ca }: TestWebhooks): Promise<string | string[] | undefined> {
  const socket = connect({ host: 'localhost', port: server.port, ca })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

test('webhook server: serves a replaced certificate, but not an invalid one', async (t) => {
  const hooks = await start(t)
  assert.equal(await servedName(hooks), 'first')
  await writeServingCertificate(hooks.directory, hooks.authority, 'second')
  await send(hooks, '/readyz')
  assert.equal(await servedName(hooks), 'second')
  await writeFile(join(hooks.directory, 'tls.key'), issueTest(hooks.authority, 'other', 'server auth').key)
  assert.equal((await send(hooks, '/readyz')).status, 200)
  assert.equal(await servedName(hooks), 'second')
})

test('webhook server: serves a replaced certificate without a request', { timeout: 20_000 }, async (t) => {
  const hooks = await start(t)
  await writeServingCertificate(hooks.directory, hooks.authority, 'second')
  while ((await servedName(hooks)) !== 'second');
})

test('webhook server: converts add-ons for an API server', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = server.client()
  const hooks = await startTestWebhooks(t, { client })
  await installHub(client, {
    conversion: conversionTarget(hooks.ca, { url: `https://localhost:${hooks.server.port}` }),
  })
  await client.create(Namespace, { metadata: { name: 'c1' } })
  const ref = { namespace: 'c1', name: 'proxy' }
  await client.create(ManagedClusterAddOnV1Alpha1, { metadata: ref, spec: { installNamespace: 'proxies' } })
  const newer = await client.get(ManagedClusterAddOn, ref)
  assert.equal(newer.apiVersion, 'addon.open-cluster-management.io/v1beta1')
  const older = await client.get(ManagedClusterAddOnV1Alpha1, ref)
  assert.equal(older.spec?.installNamespace, 'proxies')
  assert.match(hooks.server.metrics.render(), /requests_total\{webhook="\/convert",code="200"\}/)
})

test('webhook configurations: have the names and rules of Open Cluster Management', () => {
  const { mutating, validating } = webhookConfigurations('CA', { service: WEBHOOK_SERVICE })
  assert.deepEqual(mutating[0], {
    metadata: {
      name: 'managedclustermutators.admission.cluster.open-cluster-management.io',
      labels: { 'app.kubernetes.io/managed-by': 'orrery-webhook' },
    },
    webhooks: [
      {
        name: 'managedclustermutators.admission.cluster.open-cluster-management.io',
        clientConfig: {
          caBundle: 'Q0E=',
          service: {
            namespace: 'open-cluster-management-hub',
            name: 'orrery-webhook',
            port: 9443,
            path: '/mutate-cluster-open-cluster-management-io-v1-managedcluster',
          },
        },
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['cluster.open-cluster-management.io'],
            apiVersions: ['*'],
            resources: ['managedclusters'],
          },
        ],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: 10,
        admissionReviewVersions: ['v1', 'v1beta1'],
      },
    ],
  })
  assert.equal(mutating.length, 1)
  assert.deepEqual(
    validating.map(({ metadata, webhooks }) => [metadata.name, webhooks?.[0]?.clientConfig.service?.path]),
    [
      ['managedclustervalidators.admission.cluster.open-cluster-management.io', CLUSTERS],
      [
        'managedclustersetbindingvalidators.admission.cluster.open-cluster-management.io',
        '/validate-cluster-open-cluster-management-io-v1beta2-managedclustersetbinding',
      ],
      [
        'manifestworkvalidators.admission.work.open-cluster-management.io',
        '/validate-work-open-cluster-management-io-v1-manifestwork',
      ],
      [
        'manifestworkreplicasetvalidators.admission.work.open-cluster-management.io',
        '/validate-work-open-cluster-management-io-v1alpha1-manifestworkreplicaset',
      ],
      [
        'manifestworkdryrunvalidators.admission.work.orrery.dev',
        '/validate-work-orrery-dev-v1alpha1-manifestworkdryrun',
      ],
      [
        'managedclusterscorevalidators.admission.cluster.open-cluster-management.io',
        '/validate-cluster-open-cluster-management-io-v1alpha1-managedclusterscore',
      ],
      [
        'addontemplatevalidators.admission.addon.open-cluster-management.io',
        '/validate-addon-open-cluster-management-io-v1alpha1-addontemplate',
      ],
      [
        'managedclusteraddonvalidators.admission.addon.open-cluster-management.io',
        '/validate-addon-open-cluster-management-io-v1beta1-managedclusteraddon',
      ],
    ],
  )
})

test('webhook configurations: are written once', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = server.client()
  const versions = async () => {
    const lists = [await client.list(MutatingWebhookConfiguration), await client.list(ValidatingWebhookConfiguration)]
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.resourceVersion))
  }
  await installWebhooks(client, 'CA', { service: WEBHOOK_SERVICE }).catch(() => undefined)
  const { ca } = await start(t)
  await installWebhooks(client, ca, { service: WEBHOOK_SERVICE })
  const before = await versions()
  assert.equal(before.length, 9)
  await installWebhooks(client, ca, { service: WEBHOOK_SERVICE })
  assert.deepEqual(await versions(), before)
})

test('webhook configurations: a write fails while the webhook does not answer', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = server.client()
  await installHub(client)
  const hooks = await startTestWebhooks(t, { client })
  await installWebhooks(client, hooks.ca, { url: `https://localhost:${hooks.server.port}` })
  await client.create(ManagedCluster, { metadata: { name: 'c1' } })
  await hooks.server.close()
  await assert.rejects(client.create(ManagedCluster, { metadata: { name: 'c2' } }), /failed calling webhook/)
})
