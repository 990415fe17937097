import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenSource, startWorkAlone } from '@orrery/agent'
import { ConfigMap } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { systemClock } from '@orrery/kube/clock'
import { eventually } from '@orrery/kube/testing'
import { grpcSource } from '@orrery/maestro/agent'
import { brokerService, Heartbeats, type MaestroCore, openGrpcPort } from '@orrery/maestro/server'
import { freePort } from '../support/free-port.js'
import { afterwards } from '../support/server.js'
import { newId, request, startCluster, startTestCore, whenApplied, whenGone } from './work-story.js'

const access = {
  authenticate: () => Promise.resolve({ user: 'agent', groups: [] }),
  authorize: () => Promise.resolve(),
}

/** The port of agents. */
async function openBroker(core: MaestroCore, port: number) {
  const heartbeats = new Heartbeats(systemClock, 10)
  const service = brokerService({ core, access, heartbeats })
  const opened = await openGrpcPort({ service, port })
  let isClosed = false
  return {
    async close() {
      if (isClosed) return
      isClosed = true
      heartbeats.close()
      service.endAll('the server stops')
      await opened.close()
    },
  }
}

test('CloudEventSource: applies, updates and deletes works of a server over gRPC', async (t) => {
  const { core } = await startTestCore(t)
  const port = await freePort()
  const broker = await openBroker(core, port)
  afterwards(t, () => broker.close())
  const { client } = await startCluster(t, (identity) => grpcSource({ url: `127.0.0.1:${port}` }, identity))
  const id = newId()
  const ref = { namespace: 'default', name: `cm-${id}` }
  await core.publishSpec(request('create', id, 'one'))
  await whenApplied(core, id, 1)
  assert.equal((await client.get(ConfigMap, ref)).data?.value, 'one')
  await core.publishSpec(request('update', id, 'two', 1))
  await whenApplied(core, id, 2)
  assert.equal((await client.get(ConfigMap, ref)).data?.value, 'two')
  await core.publishSpec(request('delete', id))
  await whenGone(core, id)
  await assert.rejects(client.get(ConfigMap, ref), isNotFound)
})

test('CloudEventSource: gets what changed while the server was away', async (t) => {
  const { core } = await startTestCore(t)
  const port = await freePort()
  const first = await openBroker(core, port)
  afterwards(t, () => first.close())
  const { client } = await startCluster(t, (identity) => grpcSource({ url: `127.0.0.1:${port}` }, identity))
  const [changed, deleted, added] = [newId(), newId(), newId()]
  for (const id of [changed, deleted]) await core.publishSpec(request('create', id, 'one'))
  for (const id of [changed, deleted]) await whenApplied(core, id, 1)
  await first.close()
  for (let version = 1; version <= 50; version++) {
    await core.publishSpec(request('update', changed, `value ${version}`, version))
  }
  await core.publishSpec(request('delete', deleted))
  await core.publishSpec(request('create', added, 'new'))
  const second = await openBroker(core, port)
  afterwards(t, () => second.close())
  await whenApplied(core, changed, 51)
  await whenApplied(core, added, 1)
  await whenGone(core, deleted)
  const { data } = await client.get(ConfigMap, { namespace: 'default', name: `cm-${changed}` })
  assert.equal(data?.value, 'value 50')
})

test('CloudEventSource: replaces a work that was created again under its ID while the agent was offline', async (t) => {
  const { core, database } = await startTestCore(t)
  const port = await freePort()
  const first = await openBroker(core, port)
  afterwards(t, () => first.close())
  const { client } = await startCluster(t, (identity) => grpcSource({ url: `127.0.0.1:${port}` }, identity))
  const id = newId()
  await core.publishSpec(request('create', id, 'old'))
  await whenApplied(core, id, 1)
  await core.publishSpec(request('update', id, 'older', 1))
  await whenApplied(core, id, 2)
  await first.close()
  await database.query({ text: 'delete from resources where id = $1', values: [id] })
  await core.publishSpec(request('create', id, 'new'))
  const second = await openBroker(core, port)
  afterwards(t, () => second.close())
  await whenApplied(core, id, 1)
  const { data } = await client.get(ConfigMap, { namespace: 'default', name: `cm-${id}` })
  assert.equal(data?.value, 'new')
})

test('CloudEventSource: reports statuses after a restart with an earlier clock', async (t) => {
  const { core } = await startTestCore(t)
  const port = await freePort()
  const broker = await openBroker(core, port)
  afterwards(t, () => broker.close())
  const openSource: OpenSource = (identity) => grpcSource({ url: `127.0.0.1:${port}` }, identity)
  const { client, agent } = await startCluster(t, openSource)
  const id = newId()
  await core.publishSpec(request('create', id, 'one'))
  const before = await whenApplied(core, id, 1)
  await agent.close()

  const clock = { ...systemClock, now: () => new Date(Date.now() - 3_600_000) }
  const restarted = await startWorkAlone({ spoke: client, clusterName: 'c1', openSource, clock })
  afterwards(t, () => restarted.close())
  await eventually('a status is accepted after the restart', async () => {
    const status = (await core.bundles.get(id))?.status
    return status !== undefined && BigInt(status.sequenceId) > BigInt(before.status?.sequenceId ?? 0)
  })
})
