import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { startMaestroServer } from './server.js'
import { startPostgres } from './testing/postgres.fixture.js'

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

test('startMaestroServer: two instances on one database show the same consumers', async (t) => {
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
})
