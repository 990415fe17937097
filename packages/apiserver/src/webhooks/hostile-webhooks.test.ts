import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import type { AdmissionPlugin } from '../admission/types.js'
import { CONFIG_MAPS } from '../controllers/resources.js'
import { startInnerServer } from '../testing/inner-server.fixture.js'
import { configMap, configure, create, patchOf, startWebhook } from './testing.fixture.js'

const replicasOf = (object: KubeObject | undefined) => (object?.spec as JsonObject | undefined)?.replicas
const start = (t: test.TestContext) => startInnerServer(t, { namespaces: ['a'] })

test('mutatingWebhooks: cannot change fields of the server in an update', async (t) => {
  const server = await start(t)
  let operations: JsonObject[] = []
  const hook = await startWebhook(t, () => patchOf({ op: 'add', path: '/data', value: { a: 'b' } }, ...operations))
  await create(server, configMap('x', { finalizers: ['example.com/hold'] }))
  await server.client.delete(CONFIG_MAPS, 'a', 'x')
  const { uid, creationTimestamp, deletionTimestamp, generation } = (
    server.client.get(CONFIG_MAPS, 'a', 'x') as KubeObject
  ).metadata
  await configure(server, 'Mutating', 'm', hook)
  operations = [
    ...['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'].map((field) => ({
      op: 'remove',
      path: `/metadata/${field}`,
    })),
    { op: 'add', path: '/metadata/generation', value: 77 },
  ]
  const label = (live: KubeObject) => ({ ...live, metadata: { ...live.metadata, labels: { l: 'm' } } })
  const changed = await server.client.change(CONFIG_MAPS, 'a', 'x', label)
  assert.deepEqual(changed?.data, { a: 'b' })
  const { metadata } = changed
  assert.deepEqual(
    [metadata.uid, metadata.creationTimestamp, metadata.deletionTimestamp, metadata.generation],
    [uid, creationTimestamp, deletionTimestamp, generation],
  )
  assert.equal(metadata.deletionGracePeriodSeconds, 0)
})

test('mutatingWebhooks: change only what the endpoint of the request writes', async (t) => {
  const server = await start(t)
  const ref = { group: 'apps', resource: 'deployments' }
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  await server.client.create(ref, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'a', name: 'd' },
    spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template },
  })
  const hook = await startWebhook(t, () =>
    patchOf({ op: 'add', path: '/spec/replicas', value: 5 }, { op: 'add', path: '/status', value: { replicas: 7 } }),
  )
  const rules = [{ operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['*/*'] }]
  await configure(server, 'Mutating', 'm', hook, { rules })
  const observed = (live: KubeObject) => ({ ...live, status: { observedGeneration: 1 } })
  const reported = await server.client.change(ref, 'a', 'd', observed, 'status')
  assert.equal(replicasOf(reported), 1)
  assert.deepEqual(reported?.status, { replicas: 7 })
  const label = (live: KubeObject) => ({ ...live, metadata: { ...live.metadata, labels: { l: 'm' } }, status: {} })
  const labelled = await server.client.change(ref, 'a', 'd', label)
  assert.equal(replicasOf(labelled), 5)
  assert.deepEqual(labelled?.status, { replicas: 7 })
})

test('webhooks: deny with what is valid of a status', async (t) => {
  const server = await start(t)
  let status: JsonObject = {}
  const hook = await startWebhook(t, () => ({ allowed: false, status }))
  await configure(server, 'Validating', 'v', hook)
  const denied = async (given: JsonObject) => {
    status = given
    const error = await create(server, configMap('x')).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof StatusError)
    return error.status
  }
  const wrong = await denied({
    message: { a: 1 },
    reason: 7,
    code: 599.5,
    metadata: 'x',
    details: { name: {}, uid: 'u', causes: [null, 5, { field: {}, reason: 'r' }], retryAfterSeconds: '5\r\nX: y' },
  })
  const { message, ...rest } = wrong
  assert.match(message ?? '', /denied the request without explanation$/)
  assert.deepEqual(rest, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    details: { uid: 'u', causes: [{ reason: 'r' }] },
    code: 400,
  })
  assert.equal((await denied({ details: null })).details, undefined)
  assert.ok(((await denied({ message: 'x'.repeat(1_000_000) })).message ?? '').length < 70_000)
})

test('webhooks: get limits for the number of values, of remarks and for the length of errors', async (t) => {
  let current: JsonObject = {}
  const hook = await startWebhook(t, () => current)
  const noted: string[] = []
  const warned: string[] = []
  const plugin: AdmissionPlugin = {
    name: 'Observer',
    mutate(request) {
      t.mock.method(request, 'annotate', (key: string) => void noted.push(key))
      t.mock.method(request, 'warn', (text: string) => void warned.push(text))
    },
  }
  const server = await startInnerServer(t, { namespaces: ['a'], plugins: [plugin] })
  await configure(server, 'Mutating', 'm', hook)
  const failing: [JsonObject, RegExp][] = [
    [{ allowed: true, warnings: Array(30_000).fill('w') }, /json: exceeded max number of values of 20000/],
    [patchOf({ op: 'add', path: '/x', value: Array(300_000).fill(1) }), /exceeded max number of values of 200000/],
    [{ allowed: true, uid: 'z'.repeat(1_000_000) }, /^StatusError: .{1000,10000}$/s],
  ]
  for (const [answer, expected] of failing) {
    current = answer
    await assert.rejects(create(server, configMap('x')), expected)
  }
  noted.length = 0
  const numbered = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 'v']))
  current = { allowed: true, warnings: Array(1_000).fill('w'), auditAnnotations: numbered }
  await create(server, configMap('x'))
  assert.equal(warned.length, 100)
  assert.equal(noted.filter((key) => key.startsWith('m.example.com/')).length, 100)
})
