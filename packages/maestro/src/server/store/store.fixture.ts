import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { MaestroError } from '../errors.js'
import type { OpenDatabase } from '../testing/databases.fixture.js'
import { bundlesIn } from './bundles.js'
import { consumersIn } from './consumers.js'
import type { Database } from './database.js'
import { migrate } from './migrations.js'
import { jsonArray } from './parameters.js'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const ALL = { orderBy: 'id', limit: 100, offset: 0 }

/** The tests of the store, on the database that `open` opens. */
export function testStore(kind: string, openEmpty: OpenDatabase): void {
  const open = async (t: TestContext) => {
    const database = await openEmpty()
    t.after(() => database.close())
    return database
  }

  const insert = (database: Database, ids: readonly string[], manifests: readonly Buffer[]) =>
    database.query({
      text: `insert into resources (id, source, consumer_name, version, metadata, manifests)
        select id, 's1', 'c1', 1, '{"name": "w"}', manifests from unnest($1::text[], $2::json[]) as input (id, manifests)`,
      values: [ids, jsonArray(manifests)],
    })

  test(`store on ${kind}: keeps the bytes of JSON columns`, async (t) => {
    const database = await open(t)
    await consumersIn(database).create({ name: 'c1' })
    const texts = ['[ {"a" :1.0e3,"ä":"\\u0041 €"} ]', '[]'].map((text) => Buffer.from(text))
    await insert(database, ['a', 'b'], texts)
    const rows = await database.query<{ manifests: Buffer; metadata: Buffer }>({
      text: 'select manifests, metadata from resources order by id',
    })
    assert.deepEqual(
      rows.map(({ manifests }) => manifests),
      texts,
    )
    assert.deepEqual(JSON.parse(String(rows[0]?.metadata)), { name: 'w' })
  })

  test(`store on ${kind}: takes small and large texts, null and text in one statement`, async (t) => {
    const database = await open(t)
    await consumersIn(database).create({ name: 'c1' })
    const sizes = [1, 2_000, 2_050, 3_990, 4_010, 70_000, 5, 300_000, 2]
    const texts = sizes.map((size) => json(['ä'.repeat(size / 2)]))
    const insertMore = (query: Database['query'], prefix: string) =>
      query<{ note: string }>({
        name: 'insert-parts',
        text: `insert into resources (id, source, consumer_name, version, metadata, manifests, executer)
          select $4 || id, $3, 'c1', 1, '{}', manifests, executer
          from unnest($1::text[], $2::json[], $5::json[]) as input (id, manifests, executer) returning source note`,
        values: [sizes.map(String), jsonArray(texts), 'söurce', prefix, jsonArray(sizes.map(() => undefined))],
      })
    assert.equal((await insertMore(database.query, 'a-'))[0]?.note, 'söurce')
    await database.transaction((query) => insertMore(query, 'b-'))
    for (const [index, size] of sizes.entries()) {
      const found = await bundlesIn(database).getAll([`a-${size}`, `b-${size}`])
      assert.equal(found.length, 2)
      for (const { manifests, executer } of found) {
        assert.ok(manifests.equals(texts[index] as Buffer), `${size} bytes`)
        assert.equal(executer, undefined)
      }
    }
    await assert.rejects(insert(database, ['bad'], [Buffer.from(`[${'1'.repeat(5_000)}`)]), { code: '22P02' })
    assert.equal((await insertMore(database.query, 'c-')).length, sizes.length)
  })

  test(`store on ${kind}: rolls back a transaction that fails`, async (t) => {
    const database = await open(t)
    await assert.rejects(
      database.transaction(async (query) => {
        await query({ text: `insert into consumers (id, name) values ('1', 'c1')` })
        throw new Error('on purpose')
      }),
      /on purpose/,
    )
    assert.equal((await consumersIn(database).list(ALL)).total, 0)
  })

  test(`store on ${kind}: migrates once`, async (t) => {
    const database = await open(t)
    await migrate(database)
    const rows = await database.query<{ id: string }>({ text: 'select id from orrery_migrations order by id' })
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['0001-bundles', '0002-messages'],
    )
  })

  test(`store on ${kind}: refuses a database with tables of another program`, async (t) => {
    const database = await open(t)
    await database.query({ text: 'drop table orrery_migrations' })
    await assert.rejects(migrate(database), /another program: use an empty database/)
  })

  test(`store on ${kind}: delivers notifications`, async (t) => {
    const database = await open(t)
    const received = await new Promise<string>((resolve, reject) => {
      const send = () => database.query({ text: `select pg_notify('changes', 'hello')` }).catch(reject)
      database.listen('changes', resolve, () => void send())
    })
    assert.equal(received, 'hello')
  })

  test(`consumers on ${kind}: creates, reads, labels and deletes`, async (t) => {
    const consumers = consumersIn(await open(t))
    const created = await consumers.create({ name: 'c1', labels: json({ region: 'eu' }) })
    assert.deepEqual(await consumers.get(created.id), created)
    const patched = await consumers.patchLabels(created.id, json({}))
    assert.deepEqual(JSON.parse(String(patched?.labels)), {})
    assert.equal(await consumers.patchLabels('missing', json({})), undefined)
    await consumers.delete(created.id)
    await consumers.delete(created.id)
    assert.equal(await consumers.get(created.id), undefined)
  })

  test(`consumers on ${kind}: are named by their id if they have no name`, async (t) => {
    const { id, name } = await consumersIn(await open(t)).create({})
    assert.equal(name, id)
  })

  test(`consumers on ${kind}: refuses invalid and used names, and to delete a consumer with bundles`, async (t) => {
    const database = await open(t)
    const consumers = consumersIn(database)
    await assert.rejects(consumers.create({ name: 'Not_Valid' }), (error: MaestroError) => error.id === 8)
    const { id } = await consumers.create({ name: 'c1' })
    const conflict = new MaestroError('Conflict', 'This Consumer already exists')
    await assert.rejects(consumers.create({ name: 'c1' }), { message: conflict.message })
    await insert(database, ['a'], [json([])])
    await assert.rejects(consumers.delete(id), (error: MaestroError) => error.id === 4)
  })

  test(`bundles on ${kind}: lists pages in order, and streams more bundles than one chunk has`, async (t) => {
    const database = await open(t)
    await consumersIn(database).create({ name: 'c1' })
    const ids = Array.from({ length: 250 }, (_, index) => `b${String(index).padStart(3, '0')}`)
    await insert(
      database,
      ids,
      ids.map((id) => json([id])),
    )
    const bundles = bundlesIn(database)
    const where = { text: 'source = $1 and id >= $2', values: ['s1', 'b100'] }
    const page = await bundles.list({ where, orderBy: 'id desc', limit: 3, offset: 1 })
    assert.equal(page.total, 150)
    assert.deepEqual(
      page.rows.map(({ id, manifests }) => [id, String(manifests)]),
      [
        ['b248', '["b248"]'],
        ['b247', '["b247"]'],
        ['b246', '["b246"]'],
      ],
    )
    const streamed: string[] = []
    for await (const part of bundles.stream({ orderBy: 'id', limit: 1_000, offset: 0 })) {
      assert.ok(part.length <= 100)
      streamed.push(...part.map(({ id }) => id))
    }
    assert.deepEqual(streamed, ids)
    assert.equal((await bundles.get('b007'))?.consumerName, 'c1')
    assert.equal(await bundles.get('missing'), undefined)
  })

  test(`bundles on ${kind}: streams large bundles in parts of a few megabytes`, async (t) => {
    const database = await open(t)
    await consumersIn(database).create({ name: 'c1' })
    const ids = ['b0', 'b1', 'b2', 'b3']
    // Random, since PostgreSQL may compress what it stores.
    const large = ids.map(() => json([randomBytes(1_500_000).toString('base64')]))
    await insert(database, ids, large)
    const sizes: number[] = []
    for await (const part of bundlesIn(database).stream(ALL)) sizes.push(part.length)
    assert.deepEqual(sizes, [2, 2])
  })
}
