import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddedDatabases, embeddedDirectory } from '../testing/databases.fixture.js'
import { consumersIn } from './consumers.js'
import { openDatabase } from './database.js'
import { testStore } from './store.fixture.js'

testStore('PGlite', embeddedDatabases())

test('openDatabase: keeps an embedded database in its directory', async (t) => {
  const directory = await embeddedDirectory()
  const first = await openDatabase({ directory })
  const { id } = await consumersIn(first).create({ name: 'c1' })
  await first.close()
  const second = await openDatabase({ directory })
  t.after(() => second.close())
  assert.equal((await consumersIn(second).get(id))?.name, 'c1')
})

test('openDatabase: queries of an embedded database leave turns for others', async (t) => {
  const database = await openDatabase()
  t.after(() => database.close())
  let isServed = false
  setImmediate(() => {
    isServed = true
  })
  for (let index = 0; index < 3; index++) await database.query({ text: 'select $1::int', values: [index] })
  assert.ok(isServed)
})

test('openDatabase: refuses a url and a directory at once', async () => {
  await assert.rejects(openDatabase({ url: 'postgres://localhost/x', directory: '/x' }), /not both: remove one of them/)
})
