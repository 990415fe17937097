import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kube'
import { startApiServer } from '../server.js'
import { startWebhook } from './testing.js'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const SERVICES = '/api/v1/namespaces/default/services'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

async function start(t: test.TestContext) {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  return server.client()
}

test('webhooks are told of a dry run, and clients of their warnings', async (t) => {
  const client = await start(t)
  const hook = await startWebhook(t, () => ({ allowed: true, warnings: ['careful'] }))
  await client.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'v' },
    webhooks: [
      {
        name: 'v.example.com',
        clientConfig: { url: hook.url, caBundle: hook.caBundle },
        rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        sideEffects: 'NoneOnDryRun',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  await client.create(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'x' } })
  assert.equal(hook.asked[0]?.request.dryRun, true)
  const headers = { 'content-type': 'application/json' }
  const response = await client.request({
    method: 'POST',
    path: CONFIG_MAPS,
    headers,
    body: '{"metadata":{"name":"x"}}',
  })
  assert.equal(response.status, 201)
  assert.deepEqual(response.headers.Warning ?? response.headers.warning, ['299 - "careful"'])
})

test('a dry run hands out nothing', async (t) => {
  const client = await start(t)
  const service = (name: string): JsonObject => ({
    metadata: { name },
    spec: { clusterIP: '10.96.0.50', ports: [{ port: 80 }] },
  })
  await client.create(`${SERVICES}?dryRun=All`, service('dry'))
  await client.create(SERVICES, service('real'))
  const quotas = '/api/v1/namespaces/default/resourcequotas'
  await client.create(quotas, { metadata: { name: 'q' }, spec: { hard: { 'count/secrets': '1' } } })
  const secrets = '/api/v1/namespaces/default/secrets'
  await client.create(`${secrets}?dryRun=All`, { metadata: { name: 's' } })
  await client.create(secrets, { metadata: { name: 's' } })
  await assert.rejects(client.create(`${secrets}?dryRun=All`, { metadata: { name: 't' } }), /exceeded quota: q/)
})

test('custom resources are converted by the webhook of their definition', async (t) => {
  const client = await start(t)
  const hook = await startWebhook(t, ({ review, request }) => {
    assert.equal(review.kind, 'ConversionReview')
    const to = String(request.desiredAPIVersion)
    const objects = request.objects as unknown as KubeObject[]
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: to, spec: { from: object.apiVersion } }))
    return { convertedObjects, result: { status: 'Success' } } as unknown as JsonObject
  })
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const crd = await client.create(CRDS, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: hook.url, caBundle: hook.caBundle }, conversionReviewVersions: ['v1'] },
      },
    },
  })
  for await (const { object } of client.watch(`${CRDS}?resourceVersion=${crd.metadata.resourceVersion}`)) {
    if (JSON.stringify(object.status).includes('InitialNamesAccepted')) break
  }
  await client.create('/apis/example.com/v1/widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
  })
  assert.equal(hook.asked.length, 0)
  const widget = await client.get('/apis/example.com/v2/widgets/w')
  assert.deepEqual([widget.apiVersion, widget.spec], ['example.com/v2', { from: 'example.com/v1' }])
})
