import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresDatabases } from '../testing/databases.fixture.js'
import { startPostgres } from '../testing/postgres.fixture.js'
import { openDatabase } from './database.js'
import { testStore } from './store.fixture.js'

testStore('PostgreSQL', postgresDatabases())

test('listen: connects again after a crash of the server, and calls back', async (t) => {
  const server = await startPostgres(t)
  const database = await openDatabase({ url: await server.createUrl() })
  t.after(() => database.close())
  const connections: (() => void)[] = []
  const connected = [0, 1].map(() => new Promise<void>((resolve) => connections.push(resolve)))
  const payloads: string[] = []
  const received = new Promise<void>((resolve) => {
    const onNotify = (payload: string) => {
      payloads.push(payload)
      resolve()
    }
    database.listen('changes', onNotify, () => connections.shift()?.())
  })
  await connected[0]
  await server.crash()
  await server.start()
  await connected[1]
  await database.query({ text: `select pg_notify('changes', 'after')` })
  await received
  assert.deepEqual(payloads, ['after'])
})
