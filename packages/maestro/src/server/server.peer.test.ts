import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { type MaestroServer, startMaestroServer } from './server.js'
import { openDatabase } from './store/database.js'
import { TestClient } from './testing/grpc-client.fixture.js'
import { startPostgres } from './testing/postgres.fixture.js'
import { spec } from './testing/server.fixture.js'

const FREE = { rest: 0, sources: 0, agents: 0, health: 0, metrics: 0 }

test('startMaestroServer: is alive but not healthy while the database is down, and recovers', async (t) => {
  const postgres = await startPostgres(t)
  const server = await startMaestroServer({ ports: FREE, database: { url: await postgres.createUrl() } })
  t.after(() => server.close())
  const statusOf = async (port: number | undefined, path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).status
  const { health, rest } = server.ports
  const consumers = '/api/maestro/v1/consumers'
  await eventually('healthy', async () => (await statusOf(health, '/healthcheck')) === 200)
  assert.equal(await statusOf(rest, consumers), 200)
  await postgres.crash()
  await eventually('not healthy', async () => (await statusOf(health, '/healthcheck')) === 500)
  assert.equal(await statusOf(health, '/livez'), 200)
  assert.equal(await statusOf(rest, consumers), 503)
  await postgres.start()
  await eventually('healthy again', async () => (await statusOf(health, '/healthcheck')) === 200)
  assert.equal(await statusOf(rest, consumers), 200)
})

test('startMaestroServer: two instances on one database show the same consumers, and ask clients to retry while it is read-only', async (t) => {
  const postgres = await startPostgres(t)
  const url = await postgres.createUrl()
  const servers = await Promise.all([0, 1].map(() => startMaestroServer({ ports: FREE, database: { url } })))
  for (const server of servers) t.after(() => server.close())
  const [first, second] = servers
  const path = `/api/maestro/v1/consumers`
  const created = await fetch(`http://127.0.0.1:${first?.ports.rest}${path}`, { method: 'POST', body: '{"name":"c1"}' })
  const { id } = (await created.json()) as { id: string }
  const seen = await fetch(`http://127.0.0.1:${second?.ports.rest}${path}/${id}`)
  assert.equal(((await seen.json()) as { name: string }).name, 'c1')

  // A failover can leave a server that only reads, for a time.
  const admin = await openDatabase({ url, maxConnections: 1 })
  t.after(() => admin.close())
  const setReadOnly = async (value: 'on' | 'off') => {
    await admin.query({ text: `alter system set default_transaction_read_only = ${value}` })
    await admin.query({ text: 'select pg_reload_conf()' })
  }
  const healthOf = async ({ ports }: MaestroServer) =>
    (await fetch(`http://127.0.0.1:${ports.health}/healthcheck`)).status
  await setReadOnly('on')
  for (const server of servers) {
    await eventually('not healthy', async () => (await healthOf(server)) === 500)
    const refused = await fetch(`http://127.0.0.1:${server.ports.rest}${path}`, { method: 'POST', body: '{}' })
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    assert.equal((await fetch(`http://127.0.0.1:${server.ports.rest}${path}/${id}`)).status, 200)
    const source = new TestClient(server.ports.sources ?? 0)
    t.after(() => source.close())
    await assert.rejects(source.publish(spec('create', { id: 'b1' })), /UNAVAILABLE.*does not accept writes: retry/)
  }
  await setReadOnly('off')
  for (const server of servers) {
    await eventually('healthy again', async () => (await healthOf(server)) === 200)
    const accepted = await fetch(`http://127.0.0.1:${server.ports.rest}${path}`, { method: 'POST', body: '{}' })
    assert.equal(accepted.status, 201)
  }
})
