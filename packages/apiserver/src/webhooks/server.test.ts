import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { startApiServer } from '../server/server.js'
import { jsonOf, PathClient, type PathEvent } from '../testing/path-client.fixture.js'
import { define, eventsUntil } from '../testing/test-server.fixture.js'
import { startWebhook } from './testing.fixture.js'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const SERVICES = '/api/v1/namespaces/default/services'

async function start(t: test.TestContext) {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  return new PathClient(server.client())
}

test('webhooks: get the dry run flag, and clients get their warnings', async (t) => {
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

test('webhooks: a request has no seats while it waits for them', async (t) => {
  const client = await start(t)
  const hook = await startWebhook(t, () => 'silence')
  const webhook = {
    clientConfig: { url: hook.url, caBundle: hook.caBundle },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 1,
  }
  await client.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'ann' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
  })
  for (const kind of ['mutating', 'validating']) {
    const configurations = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`
    const webhooks = [{ ...webhook, name: `${kind}.example.com` }]
    await client.create(configurations, { metadata: { name: kind }, webhooks })
    const asked = hook.asked.length
    const creating = client.request({
      method: 'POST',
      path: CONFIG_MAPS,
      headers: { 'content-type': 'application/json', 'impersonate-user': 'ann' },
      body: '{"metadata":{"name":"x"}}',
    })
    await eventually('the webhook is asked', () => hook.asked.length > asked)
    const metrics = await client.request({ method: 'GET', path: '/metrics' })
    assert.match(String(await metrics.bytes()), /current_executing_requests\{[^}]*global-default[^}]*\} 0\n/)
    assert.equal((await creating).status, 500)
    await client.delete(`${configurations}/${kind}`)
  }
})

test('dry run: allocates nothing', async (t) => {
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

test('conversion webhook: converts custom resources', async (t) => {
  const client = await start(t)
  const hook = await startWebhook(t, ({ review, request }) => {
    assert.equal(review.kind, 'ConversionReview')
    const to = String(request.desiredAPIVersion)
    const objects = request.objects as unknown as KubeObject[]
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: to, spec: { from: object.apiVersion } }))
    return { convertedObjects, result: { status: 'Success' } } as unknown as JsonObject
  })
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await define(client, {
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
  await client.create('/apis/example.com/v1/widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
  })
  assert.equal(hook.asked.length, 0)
  const widget = await client.get('/apis/example.com/v2/widgets/w')
  assert.deepEqual([widget.apiVersion, widget.spec], ['example.com/v2', { from: 'example.com/v1' }])
})

/** Creates widgets whose colour is a number in v1, the storage version, and a string in v2, where it is selectable. */
async function startColours(t: test.TestContext): Promise<PathClient> {
  const client = await start(t)
  const hook = await startWebhook(t, ({ request }) => {
    const to = String(request.desiredAPIVersion)
    const objects = request.objects as unknown as (KubeObject & { spec: { colour: unknown } })[]
    const convertedObjects = objects.map(({ spec, metadata, ...object }) => {
      const labels = { ...metadata.labels, served: to.slice(-2) }
      const colour = to.endsWith('v2') ? COLOURS[spec.colour as number] : COLOURS.indexOf(String(spec.colour))
      return { ...object, metadata: { ...metadata, labels }, apiVersion: to, spec: { colour } }
    })
    return { convertedObjects, result: { status: 'Success' } } as unknown as JsonObject
  })
  const version = (name: string, type: string, more: object) => ({
    name,
    served: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { colour: { type } } } },
      },
    },
    ...more,
  })
  await define(client, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        version('v1', 'integer', { storage: true }),
        version('v2', 'string', { storage: false, selectableFields: [{ jsonPath: '.spec.colour' }] }),
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: hook.url, caBundle: hook.caBundle }, conversionReviewVersions: ['v1'] },
      },
    },
  })
  return client
}

const COLOURS = ['red', 'blue']
const V1 = '/apis/example.com/v1/widgets'
const V2 = '/apis/example.com/v2/widgets'
const widgetOf = (name: string, colour: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { colour },
})

test('list: selects custom resources by converted fields and labels', async (t) => {
  const client = await startColours(t)
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await client.create(V1, widgetOf(name, index % 2))
  interface List {
    readonly items: KubeObject[]
    readonly metadata: { continue?: string }
  }
  const names = async (query: string) => {
    const { items } = await client.get<List>(`${V2}?${query}`)
    return items.map(({ metadata }) => metadata.name).join('')
  }
  assert.equal(await names('fieldSelector=spec.colour%3Dred'), 'ace')
  assert.equal(await names('fieldSelector=spec.colour%3Dblue'), 'bd')
  assert.equal(await names('fieldSelector=spec.colour%21%3Dblue,metadata.name%3Dc'), 'c')
  assert.equal(await names('fieldSelector=spec.colour%3Dblue,metadata.name%3Dc'), '')
  assert.equal(await names('labelSelector=served%3Dv2'), 'abcde')
  assert.equal(await names('labelSelector=served%3Dv1'), '')
  let query = 'fieldSelector=spec.colour%3Dred&limit=1'
  const pages: string[] = []
  for (;;) {
    const { items, metadata } = await client.get<List>(`${V2}?${query}`)
    pages.push(items.map((item) => `${item.metadata.name} ${(item.spec as { colour: string }).colour}`).join())
    if (!metadata.continue) break
    query = `fieldSelector=spec.colour%3Dred&limit=1&continue=${encodeURIComponent(metadata.continue)}`
  }
  assert.deepEqual(pages, ['a red', 'c red', 'e red'])
  const table = await client.request({
    method: 'GET',
    path: `${V2}?fieldSelector=spec.colour%3Dblue`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  })
  assert.equal(((await jsonOf(table)) as { rows: unknown[] }).rows.length, 2)
  await client.delete(`${V2}?fieldSelector=spec.colour%3Dred`)
  assert.equal(await names(''), 'bd')
})

test('watch: selects custom resources by converted fields', async (t) => {
  const client = await startColours(t)
  await client.create(V1, widgetOf('old', 0))
  await client.create(V1, widgetOf('other', 1))
  const colour = (name: string, to: number) => client.patch(`${V1}/${name}`, { spec: { colour: to } })
  const watched = `${V2}?fieldSelector=spec.colour%3Dred`
  const isLast = ({ type, object }: PathEvent) => type === 'DELETED' && object.metadata.name === 'late'
  const change = async () => {
    await colour('other', 0)
    await colour('other', 1)
    await colour('old', 1)
    await client.create(V1, widgetOf('late', 0))
    await client.delete(`${V1}/late`)
  }
  const told = (events: readonly PathEvent[]) =>
    events.map(({ type, object }) => `${type} ${object.metadata.name} ${(object.spec as { colour: string }).colour}`)
  const { metadata } = await client.get<{ metadata: { resourceVersion: string } }>(V1)
  const changes = ['ADDED other red', 'DELETED other red', 'DELETED old red', 'ADDED late red', 'DELETED late red']
  assert.deepEqual(told(await eventsUntil(client, watched, isLast, change)), ['ADDED old red', ...changes])
  const replayed = await eventsUntil(client, `${watched}&resourceVersion=${metadata.resourceVersion}`, isLast)
  assert.deepEqual(told(replayed), changes)
})
