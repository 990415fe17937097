import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBadRequest, isConflict } from '@orrery/kinds/values'
import { maestroWorkClient } from './client.js'
import { FakeMaestro, newWork } from './server.fixture.js'

const valid = { apiUrl: 'http://localhost:8000', grpcUrl: 'localhost:8090', sourceId: 's' }

for (const [what, options, message] of [
  ['apiUrl', { apiUrl: 'localhost:8000' }, /apiUrl "localhost:8000" is not valid: use a URL such as/],
  ['grpcUrl', { grpcUrl: 'ftp://a:1' }, /url "ftp:\/\/a:1" is not valid: use host:port/],
  ['sourceId', { sourceId: "a'b" }, /sourceId "a'b" is not valid/],
  ['token and tokenFile', { token: 'a', tokenFile: 'b' }, /set token or tokenFile/],
  ['a token without TLS', { token: 'a' }, /would be sent in clear text/],
  ['retry.attempts', { retry: { attempts: 0 } }, /retry.attempts 0 is not valid/],
] as const) {
  test(`maestroWorkClient: rejects an invalid ${what}`, () => {
    assert.throws(
      () => maestroWorkClient({ ...valid, ...options }),
      (error) => error instanceof RangeError && message.test(error.message),
    )
  })
}

test('maestroWorkClient: rejects an invalid consumer and limit', async () => {
  const client = maestroWorkClient(valid)
  assert.throws(() => client.manifestWorks('Not valid'), isBadRequest)
  await assert.rejects(client.manifestWorks('c').list({ limit: 0 }), isBadRequest)
  await assert.rejects(client.manifestWorks('c').list({ continue: "'" }), isBadRequest)
  await client.close()
})

test('maestroWorkClient: sends no token over HTTP', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client({ token: 'secret', grpcUrl: 'https://localhost:1' }).manifestWorks('c')
  await works.list()
  assert.deepEqual(server.authorizations, [undefined])
})

test('list: returns each work once, in pages', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  for (let number = 0; number < 7; number++) await works.create(newWork(`w${number}`, { odd: String(number % 2) }))
  assert.equal((await works.list()).items.length, 7)
  const first = await works.list({ limit: 3 })
  assert.equal(first.items.length, 3)
  const second = await works.list({ limit: 4, continue: first.continue ?? '' })
  const names = [...first.items, ...second.items].map(({ metadata }) => metadata.name)
  assert.equal(new Set(names).size, 7)
  assert.equal((await works.list({ labelSelector: 'odd!=0', limit: 3 })).items.length, 3)
})

test('patch: is applied to the newest version if the work changes meanwhile', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  await works.create(newWork('w'))
  const changes = ['a', 'b', 'c', 'd'].map((key) => works.patch('w', { metadata: { labels: { [key]: 'x' } } }))
  await Promise.all(changes)
  assert.deepEqual((await works.get('w')).metadata.labels, { a: 'x', b: 'x', c: 'x', d: 'x' })
  const pinned = { metadata: { resourceVersion: '1', labels: { e: 'x' } } }
  await assert.rejects(works.patch('w', pinned), isConflict)
})

test('patch: keeps the executor, which the REST API does not return', async (t) => {
  const server = await FakeMaestro.start(t)
  const works = server.client().manifestWorks('c')
  const executor = {
    subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'writer' } },
  } as const
  const { spec } = newWork('w')
  const created = await works.create({ ...newWork('w'), spec: { ...spec, executor } })
  assert.deepEqual([created.spec?.executor, created.metadata.annotations], [executor, undefined])
  await works.patch('w', { metadata: { labels: { a: 'b' } } })
  assert.deepEqual(server.row('w').data.executer, executor)
  await works.patch('w', { spec: { executor: null } })
  assert.equal(server.row('w').data.executer, undefined)
  assert.equal((await works.get('w')).spec?.executor, undefined)
})
