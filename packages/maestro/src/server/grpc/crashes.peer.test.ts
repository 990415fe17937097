import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { bundlesIn } from '../store/bundles.js'
import { consumersIn } from '../store/consumers.js'
import { openDatabase } from '../store/database.js'
import { postgresDatabases } from '../testing/databases.fixture.js'
import { TestClient } from '../testing/grpc-client.fixture.js'
import { startPostgres } from '../testing/postgres.fixture.js'
import { spec, startServer } from '../testing/server.fixture.js'
import { TestAgent } from '../testing/test-agent.fixture.js'

const PROGRAM = new URL('../testing/server-process.fixture.js', import.meta.url)
const databases = postgresDatabases()

interface Instance {
  readonly process: ChildProcess
  readonly source: TestClient
  readonly agent: TestClient
}

async function startInstance(t: TestContext, url: string): Promise<Instance> {
  const child = fork(PROGRAM, [url])
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [[sourcePort, agentPort]] = (await once(child, 'message')) as [[number, number]]
  const [source, agent] = [new TestClient(sourcePort), new TestClient(agentPort)]
  t.after(() => {
    source.close()
    agent.close()
  })
  return { process: child, source, agent }
}

test('crashes: a killed instance loses no acknowledged create, and the other delivers them all', async (t) => {
  const url = await databases.url()
  const database = await openDatabase({ url })
  t.after(() => database.close())
  await consumersIn(database).create({ name: 'c1' })
  const [one, other] = await Promise.all([startInstance(t, url), startInstance(t, url)])
  const agent = new TestAgent(other.agent)
  await agent.connect()
  const acknowledged = new Set<string>()
  let next = 0
  const isDone = () => acknowledged.size >= 600
  const publishing = Array.from({ length: 8 }, async () => {
    while (!isDone()) {
      const id = `b${next++}`
      // A source that gets no answer goes to the other instance.
      const sent = await one.source.publish(spec('create', { id })).catch(() =>
        other.source.publish(spec('create', { id })).catch((error: { details: string }) => {
          assert.match(error.details, /already exists/)
        }),
      )
      assert.equal(sent, undefined)
      acknowledged.add(id)
      if (acknowledged.size === 200) one.process.kill('SIGKILL')
    }
  })
  await Promise.all(publishing)
  await agent.until((works) => [...acknowledged].every((id) => works.has(id)))
  const stored = await bundlesIn(database).list({ orderBy: 'id', limit: 10_000, offset: 0 })
  assert.deepEqual(
    stored.rows.map(({ id }) => id).filter((id) => !acknowledged.has(id)),
    [],
  )
})

test('crashes: a restart of the database delays creates and loses none that was acknowledged', async (t) => {
  const server = await startPostgres(t)
  const url = await server.createUrl()
  const [first, second] = await Promise.all([openDatabase({ url }), openDatabase({ url })])
  const [one, other] = [await startServer(t, { database: first }), await startServer(t, { database: second })]
  t.after(() => Promise.all([first.close(), second.close()]))
  await one.core.consumers.create({ name: 'c1' })
  const agent = new TestAgent(other.agent)
  await agent.connect()
  const acknowledged = new Set<string>()
  let next = 0
  let restarting: Promise<void> | undefined
  const publishing = Array.from({ length: 8 }, async () => {
    while (acknowledged.size < 500) {
      const id = `b${next++}`
      await one.source.publish(spec('create', { id })).then(
        () => acknowledged.add(id),
        (error: { code: number; details: string }) => assert.match(error.details, /database is not available/),
      )
      if (acknowledged.size >= 150) restarting ??= server.crash().then(() => server.start())
    }
  })
  await Promise.all(publishing)
  await restarting
  await agent.until((works) => [...acknowledged].every((id) => works.has(id)))
  assert.ok(one.core.ready && other.core.ready)
})
