import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { embeddedDatabases } from '../testing/databases.fixture.js'
import { keepInstance } from './instances.js'

const HEARTBEAT_MS = 10_000

test('keepInstance: keeps the others after an outage of the database, and removes one that stays silent', async (t) => {
  const database = await embeddedDatabases()()
  const idsOf = async (where = 'true') => {
    const rows = await database.query<{ id: string }>({
      text: `select id from server_instances where ${where} order by id`,
    })
    return rows.map(({ id }) => id).join()
  }
  const recent = () => idsOf(`last_heartbeat > now() - interval '1 minute'`)
  let gaps = 0
  const start = async (instance: string) => {
    const clock = new FakeClock()
    const options = { database, instance, clock, log: silentLogger, feed: { cursor: '0' }, onGap: () => gaps++ }
    const kept = await keepInstance(options)
    t.after(() => kept.close())
    return clock
  }
  const [first, second] = [await start('a'), await start('b')]
  await start('c')
  await database.query({ text: `update server_instances set last_heartbeat = now() - interval '5 minutes'` })
  first.advance(HEARTBEAT_MS)
  await eventually('a heartbeat', async () => (await recent()) === 'a')
  assert.equal(await idsOf(), 'a,b,c')
  second.advance(HEARTBEAT_MS)
  await eventually('another heartbeat', async () => (await recent()) === 'a,b')
  first.advance(HEARTBEAT_MS)
  await eventually('the silent instance is removed', async () => (await idsOf()) === 'a,b')
  assert.equal(gaps, 0)
})
