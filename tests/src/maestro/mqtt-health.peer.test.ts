import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { defaultTopics, mqttSource } from '@orrery/maestro/agent'
import { startMaestroServer } from '@orrery/maestro/server'
import { startMosquitto } from '../support/mosquitto.js'
import { afterwards } from '../support/server.js'
import { newId, request, startCluster, whenApplied } from './work-story.js'

test('startMaestroServer: shows the connection to the MQTT broker in its health and metrics, and serves another source', async (t) => {
  const broker = await startMosquitto(t)
  const topics = defaultTopics('fleet-a')
  const server = await startMaestroServer({
    ports: { rest: false, sources: false, agents: false, health: 0, metrics: false },
    sourceId: 'fleet-a',
    mqtt: { brokerHost: broker.address, topics },
  })
  afterwards(t, () => server.close())
  const { core } = server
  await core.consumers.create({ name: 'c1' })
  const health = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.ports.health}/healthcheck`)
    return `${answer.status} ${await answer.text()}`
  }
  const value = (series: string) => {
    const line = server.metrics
      .render()
      .split('\n')
      .find((text) => text.startsWith(`${series} `))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  await eventually('connected', async () => (await health()) === '200 {"status":"ok","mqtt":"connected"}')
  await startCluster(t, (identity) => mqttSource({ brokerHost: broker.address, topics }, identity))
  const id = newId()
  await core.publishSpec(request('create', id, 'one'))
  await whenApplied(core, id, 1)
  assert.ok(value('cloudevents_sent_total{type="spec.create_request"}') >= 1)
  assert.ok(value('cloudevents_received_total{type="status.update_request"}') >= 1)
  assert.deepEqual([value('mqtt_connected'), value('cloudevents_client_reconnected_total')], [1, 0])

  await broker.stop()
  await eventually('disconnected', async () => (await health()) === '200 {"status":"ok","mqtt":"disconnected"}')
  assert.equal(value('mqtt_connected'), 0)
  await broker.start()
  await eventually('connected again', () => value('mqtt_connected') === 1)
  assert.equal(value('cloudevents_client_reconnected_total'), 1)
})
