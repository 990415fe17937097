import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MaestroError } from '../errors.js'
import type { OpenDatabase } from '../testing/databases.fixture.js'
import { insertBundle, startRest } from './rest.fixture.js'

const bundle = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } })

const LABELLED: readonly [search: string, found: readonly string[]][] = [
  [`payload->'metadata'->'labels'@>'{"k":"v"}'`, ['b1']],
  [`source='s1' and consumer_name='c1' and payload->'metadata'->'labels'->>'k'<>'v'`, ['b2']],
  [`payload->'metadata'->'labels'->>'k'in('v','w')`, ['b1', 'b2']],
  [`payload->'metadata'->'labels'->>'k'not in('v')`, ['b2']],
  [`payload->'metadata'->'labels'->>'k'<>null`, ['b1', 'b2']],
  [`payload->'data'->'manifests'@>'[{"kind":"Job"}]'`, ['b3']],
  [`payload->'data'@>'{"manifests":[{"kind":"Job"}]}'`, ['b3']],
  [`payload->>'clustername' = 'c1' and payload->'metadata'->>'name' = 'three'`, ['b3']],
  [`status->'data'->'conditions'@>'[{"type":"Applied"}]'`, ['b3']],
  [`status->>'sequenceid' = '1834773391719010304'`, ['b3']],
  ["name = 'b1' or version > 2", ['b1', 'b3']],
  ['version % 2 = 1 and version + 1 > 2', ['b3']],
  ["id in ('b1', 'b2') and not name like '%1'", ['b2']],
  ["created_at < '2026-01-03' and deleted_at is null and type = 'Bundle'", ['b1', 'b2', 'b3']],
  ["created_at > '2026-01-02T03:04:05.678Z'", []],
]

/** The tests of the REST API, on the databases that `open` opens. */
export function testRest(kind: string, open: OpenDatabase): void {
  test(`REST on ${kind}: describes itself`, async (t) => {
    const { get } = await startRest(t, open)
    assert.deepEqual((await get('')).body, {
      id: 'maestro',
      href: '/api/maestro',
      kind: 'API',
      versions: [{ id: 'v1', href: '/api/maestro/v1', kind: '', collections: null }],
    })
    assert.equal((await get('/v1/')).body.kind, 'APIVersion')
    const { openapi, paths, components } = (await get('/v1/openapi')).body
    assert.equal(openapi, '3.0.0')
    assert.ok('/api/maestro/v1/resource-bundles/{id}' in paths)
    const references = JSON.stringify(paths).matchAll(/#\/components\/(\w+)\/(\w+)/g)
    for (const [, kind = '', name = ''] of references) assert.ok(name in components[kind], name)
  })

  test(`REST on ${kind}: lists the errors of the API`, async (t) => {
    const { get } = await startRest(t, open)
    const { body } = await get('/v1/errors?size=2&page=2')
    assert.deepEqual([body.kind, body.page, body.size, body.total], ['ErrorList', 2, 2, 13])
    assert.deepEqual(body.items[1], {
      kind: 'Error',
      id: '7',
      href: '/api/maestro/v1/errors/7',
      code: 'maestro-7',
      reason: 'Resource not found',
      operation_id: '',
    })
    assert.equal((await get('/v1/errors/7')).body.code, 'maestro-7')
    assert.equal((await get('/v1/errors/999')).status, 404)
  })

  test(`REST on ${kind}: answers unknown paths with the body of Maestro, and wrong methods with the right ones`, async (t) => {
    const { get, send } = await startRest(t, open)
    const { status, body } = await get('/v1/nothing')
    assert.equal(status, 404)
    assert.deepEqual(body, {
      type: 'Error',
      id: '404',
      href: '/api/maestro/v1/errors/404',
      code: 'maestro-404',
      reason: "The requested resource '/api/maestro/v1/nothing' doesn't exist",
    })
    const refused = await send('POST', '/v1/resource-bundles', {})
    assert.deepEqual([refused.status, refused.headers.get('allow'), refused.body.code], [405, 'GET', 'maestro-10'])
    assert.equal((await send('PUT', '/v1/consumers', {})).headers.get('allow'), 'GET, POST')
  })

  test(`REST on ${kind}: creates, reads, labels and deletes consumers`, async (t) => {
    const { get, send } = await startRest(t, open)
    const created = await send('POST', '/v1/consumers', { name: 'c1', labels: { region: 'eu' }, unknown: 1 })
    assert.equal(created.status, 201)
    const { id, created_at, updated_at, ...rest } = created.body
    assert.deepEqual(rest, {
      kind: 'Consumer',
      href: `/api/maestro/v1/consumers/${id}`,
      name: 'c1',
      labels: { region: 'eu' },
    })
    assert.ok(Date.parse(created_at) > 0 && Date.parse(updated_at) > 0)
    assert.deepEqual((await get(`/v1/consumers/${id}/`)).body, created.body)
    assert.deepEqual((await send('PATCH', `/v1/consumers/${id}`, {})).body, created.body)
    const cleared = await send('PATCH', `/v1/consumers/${id}`, { labels: {} })
    assert.deepEqual([cleared.status, 'labels' in cleared.body], [200, false])
    assert.equal((await send('DELETE', `/v1/consumers/${id}`)).status, 204)
    assert.equal((await send('DELETE', `/v1/consumers/${id}`)).status, 204)
    const missing = await get(`/v1/consumers/${id}`)
    assert.deepEqual([missing.status, missing.body.reason], [404, `Consumer with id='${id}' not found`])
    const unnamed = await send('POST', '/v1/consumers', {})
    assert.equal(unnamed.body.name, unnamed.body.id)
  })

  test(`REST on ${kind}: refuses consumers that are not valid, and says why`, async (t) => {
    const { send, consumers } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    const cases: [unknown, number, string, RegExp][] = [
      [{ id: 'x' }, 400, 'maestro-8', /^id must be empty$/],
      [{ name: 'Not_Valid' }, 400, 'maestro-8', /^Unable to create Consumer: /],
      [{ name: 'c1' }, 409, 'maestro-6', /^This Consumer already exists$/],
      [{ name: 1 }, 400, 'maestro-17', /^Invalid request format: name must be a string$/],
      [{ labels: { a: 1 } }, 400, 'maestro-17', /labels must be an object of strings/],
      ['{', 400, 'maestro-17', /^Invalid request format: /],
      ['[]', 400, 'maestro-17', /must be a JSON object/],
      [{ labels: { a: '\0' } }, 400, 'maestro-21', /cannot be evaluated/],
      [{ name: 'a'.repeat(2_000_000) }, 413, 'maestro-17', /larger than 1048576 bytes/],
    ]
    for (const [body, status, code, reason] of cases) {
      const reply = await send('POST', '/v1/consumers', body)
      assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(body).slice(0, 80))
      assert.match(reply.body.reason, reason)
    }
  })

  test(`REST on ${kind}: sends a bundle as Maestro does, with the manifests as they came`, async (t) => {
    const { get, database, consumers, url } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    const metadata = { name: 'web', creationTimestamp: null, deletionTimestamp: 'then', labels: { app: 'web' } }
    const manifests = '[ {"big": 12345678901234567890, "pi": 1.0e0} ]'
    await insertBundle(database, { id: 'b1', metadata, manifests, version: 3, conditions: [{ type: 'Applied' }] })
    const { status, body, headers } = await get('/v1/resource-bundles/b1')
    assert.equal(status, 200)
    assert.deepEqual(
      { ...body, manifests: undefined },
      {
        id: 'b1',
        kind: 'ResourceBundle',
        href: '/api/maestro/v1/resource-bundles/b1',
        name: 'b1',
        consumer_name: 'c1',
        version: 3,
        created_at: '2026-01-02T03:04:05.678Z',
        updated_at: '2026-01-02T03:04:05.678Z',
        metadata: { name: 'web', labels: { app: 'web' }, creationTimestamp: '2026-01-02T03:04:05Z' },
        manifests: undefined,
        delete_option: {},
        manifest_configs: [],
        status: { ObservedVersion: 3, SequenceID: '1834773391719010304', conditions: [{ type: 'Applied' }] },
      },
    )
    assert.deepEqual([headers.get('content-type'), headers.get('vary')], ['application/json', 'Authorization'])
    const text = await (await fetch(`${url}/api/maestro/v1/resource-bundles/b1`)).text()
    assert.ok(text.includes(`"manifests":${manifests},`))
    const missing = await get('/v1/resource-bundles/b2')
    assert.deepEqual([missing.status, missing.body.reason], [404, "Resource with id='b2' not found"])
  })

  test(`REST on ${kind}: deletes bundles, and lists those that are being deleted`, async (t) => {
    const { get, send, database, consumers, deleted, forced } = await startRest(t, open)
    const { id } = await consumers.create({ name: 'c1' })
    await insertBundle(database, { id: 'b1', deletedAt: '2026-02-03T04:05:06.789Z' })
    const { items } = (await get('/v1/resource-bundles')).body
    assert.equal(items[0].deleted_at, '2026-02-03T04:05:06.789Z')
    assert.equal(items[0].metadata.deletionTimestamp, '2026-02-03T04:05:06Z')
    assert.equal((await send('DELETE', '/v1/resource-bundles/b%2F1')).status, 204)
    assert.deepEqual(deleted, ['b/1'])
    const refused = await send('DELETE', `/v1/consumers/${id}`)
    assert.deepEqual([refused.status, refused.body.code], [403, 'maestro-4'])
    assert.match(refused.body.reason, /use force=true if its cluster is gone/)
    const unclear = await send('DELETE', `/v1/consumers/${id}?force=yes`)
    assert.deepEqual([unclear.status, unclear.body.reason], [400, 'force "yes" is not valid: use true or false'])
    assert.equal((await send('DELETE', `/v1/consumers/${id}?force=true`)).status, 204)
    assert.deepEqual(forced, [id])
  })

  test(`REST on ${kind}: pages of a list neither repeat nor skip bundles, and hold them all`, async (t) => {
    const { get, database, consumers } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    for (let index = 0; index < 7; index++) await insertBundle(database, { id: `b${index}` })
    const seen: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const { body } = await get(`/v1/resource-bundles?page=${page}&size=3`)
      const expected = page < 3 ? 3 : page === 3 ? 1 : 0
      assert.deepEqual([body.kind, body.page, body.total, body.size], ['ResourceBundleList', page, 7, expected])
      seen.push(...body.items.map(({ id }: { id: string }) => id))
    }
    assert.deepEqual(seen, ['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'])
    const shown = async (query: string) => {
      const { page, size, total } = (await get(`/v1/resource-bundles?${query}`)).body
      return [page, size, total]
    }
    assert.deepEqual(await shown(''), [1, 7, 7])
    assert.deepEqual(await shown('size=0'), [1, 0, 7])
    assert.deepEqual(await shown('size=-1&page=0'), [0, 7, 7])
    assert.deepEqual(await shown('page=99999999999999999999'), [2147483647, 0, 7])
    assert.deepEqual(await shown('page=x'), [0, 7, 7])
  })

  test(`REST on ${kind}: finds bundles in both grammars`, async (t) => {
    const { get, database, consumers } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    await insertBundle(database, { id: 'b1', ...bundle('one', { k: 'v' }) })
    await insertBundle(database, { id: 'b2', version: 2, ...bundle('two', { k: 'w' }) })
    await insertBundle(database, {
      id: 'b3',
      version: 3,
      metadata: { name: 'three' },
      manifests: [{ kind: 'Job' }],
      conditions: [{ type: 'Applied' }],
    })
    for (const [search, found] of LABELLED) {
      const { body } = await get(`/v1/resource-bundles?search=${encodeURIComponent(search)}`)
      assert.deepEqual(
        body.items?.map(({ id }: { id: string }) => id),
        found,
        `${search}: ${body.reason}`,
      )
      assert.equal(body.total, found.length)
    }
    const sorted = (await get('/v1/resource-bundles?orderBy=type,version%20desc&size=2')).body.items
    assert.deepEqual(
      sorted.map(({ id }: { id: string }) => id),
      ['b3', 'b2'],
    )
  })

  test(`REST on ${kind}: a bundle that PostgreSQL cannot search does not hide others from a search`, async (t) => {
    const { get, consumers, database } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    for (let index = 0; index < 15; index++)
      await insertBundle(database, { id: `b${index}`, manifests: [{ kind: 'Job' }] })
    await insertBundle(database, { id: 'poison', source: 's2', manifests: '[{"kind":"\\u0000"},{"kind":1e999999}]' })
    const search = async (text: string) => (await get(`/v1/resource-bundles?search=${encodeURIComponent(text)}`)).body
    assert.equal((await search(`payload->'data'->'manifests'@>'[{"kind":"Job"}]'`)).total, 15)
    const alone = await search(`source = 's2' and payload->'data'->'manifests'@>'[{"kind":"Job"}]'`)
    assert.match(alone.reason, /the values cannot be evaluated/)
  })

  test(`REST on ${kind}: refuses searches, orders and fields that it does not understand, without SQL in the answer`, async (t) => {
    const { get, consumers, database } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    await insertBundle(database, { id: 'b1' })
    const cases: [string, string, RegExp][] = [
      ["search=nme='a'", 'maestro-21', /invalid column name: 'nme', valid values are: \[id name source/],
      ['search=version / 0 = 1', 'maestro-21', /division by zero/],
      ["search=name like 'b\\'", 'maestro-21', /cannot be evaluated/],
      ['orderBy=nme', 'maestro-21', /bad order value 'nme'/],
      ['fields=nme', 'maestro-8', /field 'nme' does not exist: use id, kind/],
      [`fields=${'metadata.a,'.repeat(300)}id`, 'maestro-8', /fields has more than 256 names/],
    ]
    for (const [query, code, reason] of cases) {
      const { status, body } = await get(`/v1/resource-bundles?${encodeURI(query)}`)
      assert.deepEqual([status, body.code], [400, code], query)
      assert.match(body.reason, reason)
      assert.doesNotMatch(body.reason, /select/i)
    }
  })

  test(`REST on ${kind}: sends only the fields that were asked for, and the id`, async (t) => {
    const { get, consumers, database } = await startRest(t, open)
    await consumers.create({ name: 'c1', labels: Buffer.from('{"a":"b"}') })
    const manifests = [{ kind: 'Job', metadata: { name: 'j', namespace: 'n' } }]
    await insertBundle(database, { id: 'b1', metadata: { name: 'web', labels: { app: 'web', tier: 'x' } }, manifests })
    const items = async (path: string) => (await get(path)).body.items
    assert.deepEqual(await items('/v1/resource-bundles?fields=metadata.name,version'), [
      { id: 'b1', version: 1, metadata: { name: 'web' } },
    ])
    assert.deepEqual(await items('/v1/resource-bundles?fields=metadata.labels.app,manifests.metadata.name'), [
      { id: 'b1', metadata: { labels: { app: 'web' } }, manifests: [{ metadata: { name: 'j' } }] },
    ])
    assert.deepEqual(await items('/v1/resource-bundles?fields=manifests.*,status'), [{ id: 'b1', manifests }])
    assert.deepEqual(await items('/v1/resource-bundles?fields=source'), [{ id: 'b1', source: 's1' }])
    assert.ok(!('source' in (await items('/v1/resource-bundles'))[0]), 'Go clients refuse unknown members')
    const [consumer] = await items('/v1/consumers?fields=name,labels')
    assert.deepEqual(Object.keys(consumer), ['id', 'name', 'labels'])
  })

  test(`REST on ${kind}: finds and sorts consumers`, async (t) => {
    const { get, consumers } = await startRest(t, open)
    for (const name of ['c1', 'c2', 'c3']) {
      await consumers.create({ name, labels: Buffer.from(`{"region":"${name === 'c2' ? 'us' : 'eu'}"}`) })
    }
    const names = async (query: string) =>
      (await get(`/v1/consumers?${query}`)).body.items.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names('orderBy=name desc'), ['c3', 'c2', 'c1'])
    assert.deepEqual(await names("search=labels->>'region'='us'"), ['c2'])
    assert.deepEqual(await names(`search=labels@>'{"region":"eu"}'&orderBy=name`), ['c1', 'c3'])
  })

  test(`REST on ${kind}: compresses for clients that accept it`, async (t) => {
    const { url, consumers, database } = await startRest(t, open)
    await consumers.create({ name: 'c1' })
    await insertBundle(database, { id: 'b1', manifests: [{ data: 'x'.repeat(10_000) }] })
    for (const path of ['', '/b1']) {
      const raw = await rawGet(`${url}/api/maestro/v1/resource-bundles${path}`, 'gzip')
      assert.equal(raw.encoding, 'gzip')
      assert.ok(raw.body.length < 2_000)
      const plain = await rawGet(`${url}/api/maestro/v1/resource-bundles${path}`, 'identity')
      assert.equal(plain.encoding, undefined)
      assert.deepEqual(gunzipSync(raw.body), plain.body)
    }
    assert.equal((await rawGet(`${url}/api/maestro/v1/resource-bundles`, 'gzip;q=0, br')).encoding, undefined)
  })

  test(`REST on ${kind}: has an operation id for every request, in the answer and in errors`, async (t) => {
    const { url } = await startRest(t, open)
    const path = `${url}/api/maestro/v1/consumers/x`
    const given = await fetch(path, { headers: { 'x-operation-id': 'op-1' } })
    assert.equal(((await given.json()) as { operation_id: string }).operation_id, 'op-1')
    const own = await fetch(path)
    const { operation_id } = (await own.json()) as { operation_id: string }
    assert.match(operation_id, /^[0-9A-Za-z]{27}$/)
    assert.equal(own.headers.get('x-operation-id'), operation_id)
  })

  test(`REST on ${kind}: asks who a caller is and whether it may, for every path`, async (t) => {
    const asked: string[] = []
    const { get, send, url } = await startRest(t, open, {
      async authenticate({ authorization }) {
        if (authorization === undefined) throw new MaestroError('Unauthenticated')
        return { user: 'u', groups: [] }
      },
      async authorize({ user }, verb, path) {
        asked.push(`${user} ${verb} ${path}`)
        throw new MaestroError('Forbidden')
      },
    })
    const refused = await get('/v1/consumers')
    assert.deepEqual([refused.status, refused.body.code], [401, 'maestro-15'])
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer')
    assert.equal((await send('GET', '/v1/nothing')).status, 401)
    const reply = await fetch(`${url}/api/maestro/v1/consumers/1/`, {
      method: 'DELETE',
      headers: { authorization: 'x' },
    })
    assert.equal(reply.status, 403)
    assert.deepEqual(asked, ['u delete /api/maestro/v1/consumers/1'])
  })

  test(`REST on ${kind}: deletes a consumer with force only for callers that may delete all bundles`, async (t) => {
    const permissions = new Set(['delete /api/maestro/v1/consumers/1'])
    const { send, forced } = await startRest(t, open, {
      authenticate: async () => ({ user: 'u', groups: [] }),
      async authorize(_, verb, path) {
        if (!permissions.has(`${verb} ${path}`)) throw new MaestroError('Forbidden', `${verb} ${path}`)
      },
    })
    const refused = await send('DELETE', '/v1/consumers/1?force=true')
    assert.deepEqual([refused.status, refused.body.reason], [403, 'delete /api/maestro/v1/resource-bundles/*'])
    assert.deepEqual(forced, [])
    permissions.add('delete /api/maestro/v1/resource-bundles/*')
    assert.equal((await send('DELETE', '/v1/consumers/1?force=true')).status, 204)
    assert.deepEqual(forced, ['1'])
  })

  test(`REST on ${kind}: counts requests without ids`, async (t) => {
    const { get, metrics } = await startRest(t, open)
    for (const id of ['a', 'b']) await get(`/v1/consumers/${id}`)
    await get('/v1/nothing')
    const text = metrics.render()
    const path = '/api/maestro/v1/consumers/-'
    assert.ok(text.includes(`rest_api_inbound_request_count{method="GET",path="${path}",code="404"} 2`))
    assert.ok(text.includes(`rest_api_inbound_request_count{method="GET",path="/-",code="404"} 1`))
  })
}

function rawGet(url: string, accepted: string): Promise<{ encoding: string | undefined; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'accept-encoding': accepted } }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
      resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) })
    })
    sent.on('error', reject).end()
  })
}
