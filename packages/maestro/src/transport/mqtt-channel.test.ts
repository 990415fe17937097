import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MANIFEST_BUNDLES } from '../codec/event-type.js'
import { MqttChannel } from './mqtt-channel.js'
import { agentTopics, defaultTopics } from './topics.js'

test('MqttChannel: does not connect if it is closed while it reads its certificates', async (t) => {
  let connections = 0
  const broker = createServer(() => {
    connections += 1
  })
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve))
  const directory = await mkdtemp(join(tmpdir(), 'mqtt-'))
  t.after(async () => {
    broker.close()
    await rm(directory, { recursive: true })
  })
  const file = join(directory, 'ca.crt')
  await writeFile(file, 'a certificate')
  const brokerHost = `127.0.0.1:${(broker.address() as AddressInfo).port}`
  const topics = agentTopics(defaultTopics(), 'c1')
  const channel = new MqttChannel({ brokerHost, clientId: 'c', topics, credentials: { ca: { file } } })
  const ignore = () => undefined
  const subscription = channel.subscribe(
    { dataType: MANIFEST_BUNDLES },
    { onEvent: ignore, onConnected: ignore, onDisconnected: ignore },
  )
  // A channel that connects anyway waits for an answer of the broker, which never comes.
  await subscription.close()
  await channel.close()
  assert.equal(connections, 0)
})
