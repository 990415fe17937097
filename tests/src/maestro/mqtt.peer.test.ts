import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { defaultTopics, mqttSource } from '@orrery/maestro/agent'
import { type Database, type MaestroCore, openMqttBridge, startCore } from '@orrery/maestro/server'
import { startMosquitto } from '../support/mosquitto.js'
import { afterwards } from '../support/server.js'
import { newId, request, startCluster, startTestCore, whenApplied, whenGone } from './work-story.js'

interface BridgeSettings {
  readonly core: MaestroCore
  readonly database: Database
  readonly address: string
  readonly clientId?: string
  readonly repeatAfterSeconds?: number
}

async function openBridge(t: TestContext, { address, clientId = 'maestro-1', ...options }: BridgeSettings) {
  const agentEvents = '$share/statussubscribers/sources/maestro/consumers/+/agentevents'
  const config = { brokerHost: address, topics: { ...defaultTopics(), agentEvents } }
  const bridge = await openMqttBridge({ ...options, config, clientId })
  afterwards(t, () => bridge.close())
  await eventually('connected', () => bridge.isConnected)
  return bridge
}

const agentAt = (address: string) => (identity: Parameters<typeof mqttSource>[1]) =>
  mqttSource({ brokerHost: address, topics: defaultTopics() }, identity)

test('openMqttBridge: works are applied, updated and deleted over Mosquitto', async (t) => {
  const { address } = await startMosquitto(t)
  const { core, database } = await startTestCore(t)
  await openBridge(t, { core, database, address })
  const { client } = await startCluster(t, agentAt(address))
  const id = newId()
  await core.publishSpec(request('create', id, 'one'))
  await whenApplied(core, id, 1)
  await core.publishSpec(request('update', id, 'two', 1))
  await whenApplied(core, id, 2)
  const { data } = await client.get(ConfigMap, { namespace: 'default', name: `cm-${id}` })
  assert.equal(data?.value, 'two')
  await core.publishSpec(request('delete', id))
  await whenGone(core, id)
})

test('openMqttBridge: works arrive after the broker was restarted, and statuses are requested', async (t) => {
  const broker = await startMosquitto(t)
  const { core, database } = await startTestCore(t)
  const bridge = await openBridge(t, { core, database, address: broker.address })
  await startCluster(t, agentAt(broker.address))
  const ids = Array.from({ length: 20 }, newId)
  for (const id of ids.slice(0, 10)) await core.publishSpec(request('create', id, 'one'))
  for (const id of ids.slice(0, 10)) await whenApplied(core, id, 1)
  await broker.stop()
  await eventually('disconnected', () => !bridge.isConnected)
  for (const id of ids.slice(10)) await core.publishSpec(request('create', id, 'one'))
  for (const id of ids.slice(0, 5)) await core.publishSpec(request('delete', id))
  await broker.start()
  for (const id of ids.slice(10)) await whenApplied(core, id, 1)
  for (const id of ids.slice(0, 5)) await whenGone(core, id)
})

test('openMqttBridge: publishes again what an instance wrote before it could publish it', async (t) => {
  const { address } = await startMosquitto(t)
  const { core, database } = await startTestCore(t)
  // This instance has no bridge, as if it had stopped right after the write.
  const stopped = await startCore({ database })
  afterwards(t, () => stopped.close())
  await openBridge(t, { core, database, address, repeatAfterSeconds: 1 })
  await startCluster(t, agentAt(address))
  const first = newId()
  await core.publishSpec(request('create', first, 'one'))
  await whenApplied(core, first, 1)
  const id = newId()
  await stopped.publishSpec(request('create', id, 'one'))
  await whenApplied(core, id, 1)
  await stopped.publishSpec(request('delete', id))
  await whenGone(core, id)
})

test('openMqttBridge: two instances share the statuses', async (t) => {
  const { address } = await startMosquitto(t)
  const { core, database } = await startTestCore(t)
  const other = await startCore({ database })
  afterwards(t, () => other.close())
  await openBridge(t, { core, database, address })
  await openBridge(t, { core: other, database, address, clientId: 'maestro-2' })
  await startCluster(t, agentAt(address))
  const ids = Array.from({ length: 20 }, newId)
  for (const [index, id] of ids.entries())
    await (index % 2 === 0 ? core : other).publishSpec(request('create', id, 'one'))
  for (const id of ids) await whenApplied(core, id, 1)
  for (const [index, id] of ids.entries()) await (index % 2 === 0 ? other : core).publishSpec(request('delete', id))
  for (const id of ids) await whenGone(core, id)
})
