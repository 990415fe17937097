import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startWork, type WorkOptions } from '@orrery/agent'
import { AppliedManifestWork, REPLICA_SET_LABEL } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { systemClock } from '@orrery/kube/clock'
import { eventually } from '@orrery/kube/testing'
import { afterwards } from '../support/server.js'
import { EventSource } from './event-source.js'
import { Spoke } from './spoke.js'
import { configMap, holdsData, inDefault } from './work-pair.js'

async function startOn(t: TestContext, source: EventSource, options: WorkOptions = {}) {
  const spoke = await Spoke.start(t, systemClock)
  const agent = await startWork({ source, spoke: spoke.client, options })
  afterwards(t, () => agent.close())
  const running = agent.whenRunning()
  return { client: spoke.client, running }
}

test('startWork: applies works that arrive as events and sends their status as events', async (t) => {
  const source = new EventSource()
  const { client, running } = await startOn(t, source)
  source.works.replace([source.work('w', 1, [configMap('settings', { x: '1' })])])
  await running
  const isSent = (version: number) => () =>
    source.sent.some((event) => event.version === version && isConditionTrue(event.status?.conditions, 'Applied'))
  await eventually('version 1 is reported as applied', isSent(1))
  const { items } = await client.list(AppliedManifestWork)
  assert.deepEqual(
    items.map(({ metadata, spec }) => [metadata.name, spec?.hubHash, spec?.agentID]),
    [['broker-w', 'broker', 'broker']],
  )
  source.receive(source.work('w', 2, [configMap('settings', { x: '2' })]))
  await eventually('version 2 is reported as applied', isSent(2))
  assert.ok(holdsData({ x: '2' })(await client.get(ConfigMap, inDefault('settings'))))

  source.receiveDelete('w')
  await eventually('the deletion is reported', () => source.sent.at(-1)?.isDeleted === true)
  assert.equal(await client.find(ConfigMap, inDefault('settings')), undefined)
  assert.deepEqual((await client.list(AppliedManifestWork)).items, [])
  assert.equal(source.works.size, 0)
})

test('startWork: removes the objects of a work that a resync no longer has', async (t) => {
  const source = new EventSource()
  const { client, running } = await startOn(t, source, { evictionGraceMilliseconds: 0 })
  const [lost, kept] = [source.work('lost', 1, [configMap('a', {})]), source.work('kept', 1, [configMap('b', {})])]
  source.works.replace([lost, kept])
  await running
  const isThere = async (name: string) => (await client.find(ConfigMap, inDefault(name))) !== undefined
  await eventually('both are applied', async () => (await isThere('a')) && (await isThere('b')))
  source.works.replace([kept])
  await eventually('the lost one is gone', async () => !(await isThere('a')))
  assert.ok(await isThere('b'))
})

test('startWork: the works of one namespace with many replica sets do not delay those of another', async (t) => {
  const source = new EventSource()
  const { running } = await startOn(t, source, { concurrency: 2 })
  const backlog = 40
  const workOf = (namespace: string, index: number) => {
    const work = source.work(`${namespace}-${index}`, 1, [configMap(`${namespace}-${index}`, {})])
    return { ...work, metadata: { ...work.metadata, labels: { [REPLICA_SET_LABEL]: `${namespace}.set-${index}` } } }
  }
  const ofBusy = Array.from({ length: backlog }, (_, index) => workOf('busy', index))
  source.works.replace([...ofBusy, workOf('other', 0)])
  await running
  const applied = () =>
    source.sent.filter(({ status }) => isConditionTrue(status?.conditions, 'Applied')).map(({ name }) => name)
  await eventually('all are applied', () => new Set(applied()).size === backlog + 1)
  const before = applied().indexOf('other-0')
  assert.ok(before <= backlog / 4, `${before} works of the other namespace were applied first`)
})
