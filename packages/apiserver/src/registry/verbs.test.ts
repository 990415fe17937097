import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { Status } from '@orrery/kinds/values'
import { FakeClock } from '@orrery/kube/testing'
import { jsonOf } from '../testing/path-client.fixture.js'
import { failureOf, testServer, untilGone, whenObject } from '../testing/test-server.fixture.js'

const MAPS = '/api/v1/namespaces/default/configmaps'
const map = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  data,
})

test('create: sets server-owned fields', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(
    MAPS,
    map('a', { k: 'v' }, { labels: { x: 'y' }, uid: 'mine', deletionTimestamp: '2020-01-01T00:00:00Z' }),
  )
  assert.equal(made.apiVersion, 'v1')
  assert.equal(made.kind, 'ConfigMap')
  assert.equal(made.metadata.namespace, 'default')
  assert.match(made.metadata.uid ?? '', /^[0-9a-f-]{36}$/)
  assert.match(made.metadata.resourceVersion ?? '', /^\d+$/)
  assert.equal(made.metadata.deletionTimestamp, undefined)
  assert.deepEqual(await client.get(`${MAPS}/a`), made)
})

test('create: requires a unique name and can generate one', async (t) => {
  const { client } = await testServer(t)
  assert.equal((await failureOf(client.create(MAPS, { data: {} }))).code, 422)
  const first = await client.create(MAPS, { metadata: { generateName: 'gen-' } })
  assert.match(first.metadata.name ?? '', /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  await client.create(MAPS, map('a'))
  const again = await failureOf(client.create(MAPS, map('a')))
  assert.equal(again.code, 409)
  assert.equal(again.message, 'configmaps "a" already exists')
  assert.equal((await failureOf(client.create(MAPS, map('Not a name')))).code, 422)
  assert.equal((await failureOf(client.create(MAPS, map('b', {}, { namespace: 'other' })))).code, 400)
  assert.equal((await failureOf(client.create(MAPS, { ...map('b'), kind: 'Secret' }))).code, 400)
  assert.equal((await failureOf(client.create('/api/v1/namespaces/nowhere/configmaps', map('a')))).code, 404)
})

test('create: makes the existing object readable by the time it reports AlreadyExists', async (t) => {
  const { client } = await testServer(t)
  const attempts = Array.from({ length: 20 }, async (_, i) => {
    const winner = client.create(MAPS, map(`taken-${i}`))
    const refusal = await failureOf(client.create(MAPS, map(`taken-${i}`)))
    assert.equal(refusal.code, 409)
    const seen = await client.get(`${MAPS}/taken-${i}`)
    assert.deepEqual(seen, await winner)
  })
  await Promise.all(attempts)
})

test('update: requires the current resourceVersion or none', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(MAPS, map('a', { k: '1' }))
  const changed = await client.update(`${MAPS}/a`, { ...made, data: { k: '2' } })
  assert.notEqual(changed.metadata.resourceVersion, made.metadata.resourceVersion)
  const stale = await failureOf(client.update(`${MAPS}/a`, { ...made, data: { k: '3' } }))
  assert.equal(stale.code, 409)
  assert.match(stale.message, /Operation cannot be fulfilled on configmaps "a": the object has been modified/)
  const unconditional = await client.update(`${MAPS}/a`, map('a', { k: '4' }))
  assert.equal(unconditional.metadata.uid, made.metadata.uid)
  assert.equal((await failureOf(client.update(`${MAPS}/b`, map('b')))).code, 404)
  assert.equal((await failureOf(client.update(`${MAPS}/a`, map('b')))).code, 400)
})

test('update: keeps the resourceVersion if nothing changes', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(MAPS, map('a', { k: '1' }))
  const same = await client.update(`${MAPS}/a`, made)
  const patched = await client.patch(`${MAPS}/a`, { data: { k: '1' } })
  assert.equal(same.metadata.resourceVersion, made.metadata.resourceVersion)
  assert.equal(patched.metadata.resourceVersion, made.metadata.resourceVersion)
})

test('patch: supports all four types', async (t) => {
  const { client } = await testServer(t)
  await client.create(MAPS, map('a', { keep: '1', drop: '2' }))
  const merged = await client.patch(`${MAPS}/a`, { data: { drop: null, add: '3' } })
  assert.deepEqual(merged.data, { keep: '1', add: '3' })
  const pointed = await client.patch(`${MAPS}/a`, [{ op: 'replace', path: '/data/keep', value: 'x' }], 'json')
  assert.deepEqual(pointed.data, { keep: 'x', add: '3' })
  const strategic = await client.patch(`${MAPS}/a`, { data: { $patch: 'replace', only: '1' } }, 'strategic')
  assert.deepEqual(strategic.data, { only: '1' })
  const applied = await client.patch(
    `${MAPS}/a?fieldManager=me`,
    { apiVersion: 'v1', kind: 'ConfigMap', data: { more: '2' } },
    'apply',
  )
  assert.deepEqual(applied.data, { only: '1', more: '2' })
  assert.equal((await failureOf(client.patch(`${MAPS}/a`, { metadata: { resourceVersion: '1' } }))).code, 409)
  assert.equal(
    (await failureOf(client.patch(`${MAPS}/a`, [{ op: 'test', path: '/data/only', value: 'no' }], 'json'))).code,
    422,
  )
  assert.equal((await failureOf(client.patch(`${MAPS}/nope`, {}))).code, 404)
})

test('patch: applies two concurrent patches of different fields', async (t) => {
  const { client } = await testServer(t)
  await client.create(MAPS, map('a'))
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => client.patch(`${MAPS}/a`, { data: { [`k${index}`]: 'v' } })),
  )
  assert.equal(Object.keys((await client.get(`${MAPS}/a`)).data as object).length, 50)
})

test('dry run: responds like a real write and changes nothing', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(`${MAPS}?dryRun=All`, map('a'))
  assert.ok(made.metadata.uid)
  assert.equal((await failureOf(client.get(`${MAPS}/a`))).code, 404)
  const real = await client.create(MAPS, map('a'))
  await client.patch(`${MAPS}/a?dryRun=All`, { data: { k: 'v' } })
  await client.delete(`${MAPS}/a?dryRun=All`)
  assert.deepEqual(await client.get(`${MAPS}/a`), real)
  assert.equal((await failureOf(client.create(`${MAPS}?dryRun=Some`, map('b')))).code, 422)
})

test('delete: returns a Status, checks preconditions and waits for finalizers', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(MAPS, map('a', {}, { finalizers: ['example.com/hold'] }))
  const wrong = await failureOf(client.delete(`${MAPS}/a`, { preconditions: { uid: 'other' } }))
  assert.equal(wrong.code, 409)
  const held = await client.delete<KubeObject>(`${MAPS}/a`)
  assert.equal(held.kind, 'ConfigMap')
  assert.ok(held.metadata.deletionTimestamp)
  assert.equal((await client.get(`${MAPS}/a`)).metadata.uid, made.metadata.uid)
  await client.patch(`${MAPS}/a`, { metadata: { finalizers: null } })
  assert.equal((await failureOf(client.get(`${MAPS}/a`))).code, 404)
  const b = await client.create(MAPS, map('b'))
  const gone = await client.delete<Status>(`${MAPS}/b`, { propagationPolicy: 'Background' })
  assert.deepEqual(gone.details, { name: 'b', kind: 'configmaps', uid: b.metadata.uid })
  assert.equal(gone.status, 'Success')
  assert.equal((await failureOf(client.delete(`${MAPS}/b`))).code, 404)
})

test('deletecollection: deletes the selected objects', async (t) => {
  const { client } = await testServer(t)
  for (const name of ['a', 'b', 'c'])
    await client.create(MAPS, map(name, {}, { labels: { odd: String(name !== 'b') } }))
  await client.delete(`${MAPS}?labelSelector=odd%3Dtrue`)
  const left = await client.get<{ items: KubeObject[] }>(`${MAPS}?labelSelector=odd`)
  assert.deepEqual(
    left.items.map(({ metadata }) => metadata.name),
    ['b'],
  )
})

test('patch: reports problems of the patch and of its result together', async (t) => {
  const { client } = await testServer(t)
  await client.create(MAPS, map('a'))
  const refusal = async (type: string, body: string) => {
    const path = `${MAPS}/a?fieldValidation=Strict`
    const reply = await client.request({ method: 'PATCH', path, headers: { 'content-type': type }, body })
    assert.equal(reply.status, 422)
    return ((await jsonOf(reply)) as Status).message ?? ''
  }
  assert.match(
    await refusal('application/merge-patch+json', '{"data":{"a":"1","a":"2"},"bogus":1}'),
    /strict decoding error: duplicate field "data.a", unknown field "bogus"$/,
  )
  assert.match(
    await refusal('application/json-patch+json', '[{"op":"add","path":"/bogus","path":"/bogus","value":1,"foo":2}]'),
    /strict decoding error: json patch unknown field "\[0\].foo", json patch duplicate field "\[0\].path", unknown field "bogus"$/,
  )
})

test('create: ignores an invalid resourceVersion', async (t) => {
  const { client } = await testServer(t)
  await client.create(MAPS, map('a', {}, { resourceVersion: '0' }))
  assert.equal((await failureOf(client.create(MAPS, map('b', {}, { resourceVersion: '12' })))).code, 400)
})

test('delete: warns that the pods of a job stay, unless a propagation policy is set', async (t) => {
  const { client } = await testServer(t)
  const path = '/apis/batch/v1/namespaces/default/jobs'
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
  await client.create(path, { metadata: { name: 'j' }, spec: { template } })
  const warningOf = async (query: string) =>
    (await client.request({ method: 'DELETE', path: `${path}/j?dryRun=All${query}` })).headers.warning
  assert.match(String(await warningOf('')), /child pods are preserved by default when jobs are deleted/)
  assert.equal(await warningOf('&propagationPolicy=Orphan'), undefined)
})

test('update: writes spec and status through different endpoints', async (t) => {
  const { client } = await testServer(t)
  const path = '/apis/apps/v1/namespaces/default/deployments'
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const made = await client.create(path, {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
    status: { replicas: 9 },
  })
  assert.equal((made.status as { replicas?: number }).replicas, undefined)
  assert.equal(made.metadata.generation, 1)
  const reported = await client.patch(`${path}/d/status`, { status: { replicas: 3 }, spec: { replicas: 7 } })
  assert.equal((reported.status as { replicas: number }).replicas, 3)
  assert.equal((reported.spec as { replicas: number }).replicas, 1)
  assert.equal(reported.metadata.generation, 1)
  const scaled = await client.patch(`${path}/d/scale`, { spec: { replicas: 5 } })
  assert.equal(scaled.kind, 'Scale')
  const after = await client.patch(`${path}/d`, { status: { replicas: 0 } })
  assert.equal((after.spec as { replicas: number }).replicas, 5)
  assert.equal((after.status as { replicas: number }).replicas, 3)
  assert.equal(after.metadata.generation, 2)
})

test('fieldValidation: refuses, reports or ignores unknown and duplicate fields', async (t) => {
  const { client } = await testServer(t)
  const send = (validation: string) =>
    client.request({
      method: 'POST',
      path: `${MAPS}?dryRun=All&fieldValidation=${validation}`,
      headers: { 'content-type': 'application/json' },
      body: '{"metadata":{"name":"a","nmae":"x"},"data":{},"data":{}}',
    })
  const strict = await send('Strict')
  assert.equal(strict.status, 400)
  assert.match(
    ((await jsonOf(strict)) as Status).message ?? '',
    /strict decoding error: unknown field "metadata.nmae", duplicate field "data"/,
  )
  const warned = await send('Warn')
  assert.equal(warned.status, 201)
  assert.deepEqual(warned.headers.warning, [
    '299 - "unknown field \\"metadata.nmae\\""',
    '299 - "duplicate field \\"data\\""',
  ])
  assert.equal((await send('Ignore')).headers.warning, undefined)
})

test('namespaces: deletes the content of a namespace', async (t) => {
  const { client } = await testServer(t, { namespaceDeletionGraceSeconds: 0 })
  await client.create('/api/v1/namespaces', { metadata: { name: 'n' } })
  await client.create('/api/v1/namespaces/n/configmaps', map('a', {}, { finalizers: ['example.com/hold'] }))
  await client.delete('/api/v1/namespaces/n')
  const waiting = await whenObject(client, '/api/v1/namespaces', 'n', (object) =>
    ((object.status as { conditions?: { type: string; status: string }[] }).conditions ?? []).some(
      ({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True',
    ),
  )
  assert.equal((waiting.status as { phase: string }).phase, 'Terminating')
  const refused = await failureOf(client.create('/api/v1/namespaces/n/configmaps', map('b')))
  assert.equal(refused.code, 403)
})

test('namespaces: lets objects of a file that starts with its Namespace be deleted individually', async (t) => {
  const clock = new FakeClock()
  const { client } = await testServer(t, { clock })
  await client.create('/api/v1/namespaces', { metadata: { name: 'n' } })
  const maps = '/api/v1/namespaces/n/configmaps'
  for (const name of ['a', 'b']) await client.create(maps, map(name))
  await client.delete('/api/v1/namespaces/n')
  for (const name of ['a', 'b']) {
    clock.advance(2000)
    await client.delete(`${maps}/${name}`)
  }
  clock.advance(2000)
  await untilGone(client, '/api/v1/namespaces', 'n')
})

test('update: keeps the creation timestamp and sets no deletion timestamp', async (t) => {
  const { client } = await testServer(t)
  const made = await client.create(MAPS, map('a'))
  const moved = await client.update(`${MAPS}/a`, map('a', {}, { creationTimestamp: '2020-01-01T00:00:00Z' }))
  assert.equal(moved.metadata.creationTimestamp, made.metadata.creationTimestamp)
  const renamed = await client.patch(`${MAPS}/a`, { metadata: { generateName: 'a-' } })
  assert.equal(renamed.metadata.generateName, 'a-')
  const marked = await failureOf(client.patch(`${MAPS}/a`, { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }))
  assert.equal(marked.code, 422)
  assert.match(marked.message, /metadata\.deletionTimestamp: Invalid value: .* field is immutable/)
})

test('create, update: own the template generation of a daemon set', async (t) => {
  const { client } = await testServer(t)
  const path = '/apis/apps/v1/namespaces/default/daemonsets'
  const labels = { app: 'd' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x:1' }] } }
  const daemons = { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } }
  const count = 'deprecated.daemonset.template.generation'
  const owned = ({ metadata }: KubeObject, manager: string) =>
    JSON.stringify(metadata.managedFields?.find((entry) => entry.manager === manager)).includes(count)
  const created = await client.create<KubeObject>(`${path}?fieldManager=creator`, daemons)
  assert.equal(created.metadata.annotations?.[count], '1')
  assert.equal(owned(created, 'creator'), true)
  const replaced = await client.update<KubeObject>(`${path}/d?fieldManager=other`, daemons)
  assert.equal(replaced.metadata.annotations?.[count], '1')
  assert.equal(owned(replaced, 'other'), true)
  const applied = await client.patch<KubeObject>(
    `${path}/e?fieldManager=applier`,
    { apiVersion: 'apps/v1', kind: 'DaemonSet', ...daemons, metadata: { name: 'e' } },
    'apply',
  )
  assert.equal(applied.metadata.annotations?.[count], '1')
  assert.equal(owned(applied, 'applier'), false)
})
