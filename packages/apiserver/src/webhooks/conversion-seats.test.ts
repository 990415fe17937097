import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import type { PathClient } from '../testing/path-client.fixture.js'
import { clientAs, define, testServer } from '../testing/test-server.fixture.js'
import { patchOf, startWebhook, type TestWebhook } from './testing.fixture.js'

const V1 = '/apis/example.com/v1/widgets'
const V2 = '/apis/example.com/v2/widgets'

const widget = (version: string, name: string): KubeObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
})

/** Starts a server with widgets, which are stored as v1, and a conversion webhook that waits for the test. */
async function startWidgets(t: test.TestContext) {
  const { server, client: admin } = await testServer(t)
  const held: (() => void)[] = []
  const hook = await startWebhook(t, async ({ request }) => {
    await new Promise<void>((resolve) => held.push(resolve))
    const objects = request.objects as unknown as KubeObject[]
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: String(request.desiredAPIVersion) }))
    return { convertedObjects, result: { status: 'Success' } } as unknown as JsonObject
  })
  await admin.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'ann' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
  })
  await defineWidgets(admin, hook)
  const ann = clientAs(server, { username: 'ann', uid: '', groups: ['system:authenticated'], extra: {} })
  const convertOne = async () => {
    const metrics = await admin.request({ method: 'GET', path: '/metrics' })
    assert.match(String(await metrics.bytes()), /current_executing_requests\{[^}]*global-default[^}]*\} 0\n/)
    held.shift()?.()
  }
  return { admin, ann, held, convertOne }
}

async function defineWidgets(client: PathClient, { url, caBundle }: TestWebhook): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const webhook = { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] }
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  await define(client, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema, subresources: { scale } },
      ],
      conversion: { strategy: 'Webhook', webhook },
    },
  })
}

test('conversion webhook: a request has no seats while it waits for it', async (t) => {
  const { admin, ann, held, convertOne } = await startWidgets(t)
  for (const name of ['a', 'b', 'c']) await admin.create(V1, { ...widget('v1', name), spec: { replicas: 1 } })
  const { metadata } = await admin.get(`${V1}/a`)
  const requests: Record<string, () => Promise<unknown>> = {
    get: () => ann.get(`${V2}/a`),
    'get scale': () => ann.get(`${V2}/a/scale`),
    list: () => ann.get(V2),
    'list with a selector': () => ann.get(`${V2}?labelSelector=x%3Dy`),
    create: () => ann.create(V2, widget('v2', 'd')),
    'create, dry run': () => ann.create(`${V2}?dryRun=All`, widget('v2', 'e')),
    update: () => ann.update(`${V2}/a`, { ...widget('v2', 'a'), metadata, data: 1 }),
    patch: () => ann.patch(`${V2}/b`, { data: 2 }),
    'apply, which creates': () => ann.patch(`${V2}/e?fieldManager=m`, widget('v2', 'e'), 'apply'),
    apply: () => ann.patch(`${V2}/c?fieldManager=m`, { ...widget('v2', 'c'), data: 3 }, 'apply'),
    delete: () => ann.delete(`${V2}/c`),
    deletecollection: () => ann.delete(V2),
  }
  for (const [verb, send] of Object.entries(requests)) {
    let isServed = false
    let conversions = 0
    const serving = send().finally(() => {
      isServed = true
    })
    for (;;) {
      await eventually(`${verb}: a conversion or the response`, () => isServed || held.length > 0)
      if (isServed) break
      await convertOne()
      conversions++
    }
    await serving
    assert.notEqual(conversions, 0, verb)
  }
})

test('conversion webhook: a watch has no seats while it waits for it', async (t) => {
  const { admin, ann, held, convertOne } = await startWidgets(t)
  await admin.create(V1, widget('v1', 'a'))
  const stop = new AbortController()
  const events = ann.watch(V2, stop.signal)
  const first = events.next()
  await eventually('the webhook is asked', () => held.length > 0)
  await convertOne()
  assert.equal((await first).value?.object.apiVersion, 'example.com/v2')
  stop.abort()
  await events.return(undefined)
})

test('conversion webhook: a request has no seats while an object is converted for an admission webhook', async (t) => {
  const { admin, ann, held, convertOne } = await startWidgets(t)
  const mutating = await startWebhook(t, () => patchOf({ op: 'add', path: '/data', value: 'changed' }))
  await admin.create('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    metadata: { name: 'm' },
    webhooks: [
      {
        name: 'm.example.com',
        clientConfig: { url: mutating.url, caBundle: mutating.caBundle },
        rules: [{ operations: ['*'], apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['widgets'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  const creating = ann.create(V1, widget('v1', 'a'))
  for (const direction of ['for the webhook', 'for the server']) {
    await eventually(`a conversion ${direction}`, () => held.length > 0)
    await convertOne()
  }
  assert.equal((await creating).data, 'changed')
})
