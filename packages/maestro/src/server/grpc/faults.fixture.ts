import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { CloudEvent } from '../../codec/cloud-event.js'
import type { OpenDatabase } from '../testing/databases.fixture.js'
import { configMap, spec, startServer, status } from '../testing/server.fixture.js'
import { TestAgent } from '../testing/test-agent.fixture.js'

const ALL = { orderBy: 'id', limit: 10_000, offset: 0 }

/** Every work ends in the right final state, whatever happened on the way. */
export function testFaults(kind: string, open: OpenDatabase): void {
  async function start(t: TestContext, options: { repeatDeletionsAfterSeconds?: number } = {}) {
    const database = await open()
    const server = await startServer(t, { database, ...options })
    t.after(() => database.close())
    const consumer = await server.core.consumers.create({ name: 'c1' })
    return { ...server, consumer }
  }

  test(`faults on ${kind}: an agent that was offline for 1,000 changes gets the final state only`, async (t) => {
    const { source, agent: client, connectAgent } = await start(t)
    const agent = new TestAgent(client)
    await agent.connect()
    const ids = Array.from({ length: 100 }, (_, index) => `b${index}`)
    await Promise.all(ids.map((id) => source.publish(spec('create', { id }))))
    await agent.until((works) => works.size === 100)
    agent.disconnect()
    const [deleted, kept] = [ids.slice(0, 20), ids.slice(20)]
    for (let round = 0; round < 10; round++) {
      await Promise.all(ids.map((id) => source.publish(spec('update', { id, manifests: [configMap(`m${round}`)] }))))
    }
    await Promise.all(deleted.map((id) => source.publish(spec('delete', { id }))))
    const back = connectAgent()
    await agent.connect(back)
    await agent.until((works) => works.size === kept.length && kept.every((id) => works.get(id) === 11))
    assert.deepEqual(agent.regressions, [])
  })

  test(`faults on ${kind}: duplicated and reordered messages do not change the result`, async (t) => {
    const { source, agent, core } = await start(t)
    const twice = async (send: () => Promise<void>) => Promise.allSettled([send(), send()])
    await twice(() => source.publish(spec('create', { id: 'b1' })))
    await twice(() => source.publish(spec('update', { id: 'b1', version: 1, manifests: [configMap('two')] })))
    assert.equal((await core.bundles.get('b1'))?.version, 2)
    const statuses: CloudEvent[] = []
    for (let sequence = 1; sequence <= 20; sequence++) statuses.push(status({ id: 'b1', version: 2, sequence }))
    statuses.push(status({ id: 'b1', version: 1, sequence: 99 }))
    const shuffled = [...statuses, ...statuses].sort((a, b) => (a.id < b.id ? -1 : 1))
    await Promise.all(shuffled.map((event) => agent.publish(event)))
    assert.equal(Number(BigInt((await core.bundles.get('b1'))?.status?.sequenceId ?? 0) >> 22n), 20)
    await twice(() => source.publish(spec('delete', { id: 'b1' })))
    await twice(() => agent.publish(status({ id: 'b1', version: 2, sequence: 21, condition: 'Deleted' })))
    assert.equal(await core.bundles.get('b1'), undefined)
    // A late report about what is gone.
    await agent.publish(status({ id: 'b1', version: 2, sequence: 22 }))
    assert.equal(await core.bundles.get('b1'), undefined)
  })

  test(`faults on ${kind}: bundles of a deleted consumer do not come back with a new one of its name`, async (t) => {
    const { source, agent: client, connectAgent, core, consumer } = await start(t)
    const agent = new TestAgent(client)
    await agent.connect()
    await source.publish(spec('create', { id: 'old' }))
    await source.publish(spec('create', { id: 'again' }))
    await agent.until((works) => works.size === 2)
    agent.disconnect()
    for (const id of ['old', 'again']) {
      await source.publish(spec('delete', { id }))
      await client.publish(status({ id, version: 1, sequence: 1_000, condition: 'Deleted' }))
    }
    await core.consumers.delete(consumer.id)
    await core.consumers.create({ name: 'c1' })
    await source.publish(spec('create', { id: 'again', manifests: [configMap('new')] }))
    await source.publish(spec('update', { id: 'again' }))
    // The report of the deletion of the old one arrives once more.
    await client.publish(status({ id: 'again', version: 1, sequence: 1_001, condition: 'Deleted' }))
    await agent.connect(connectAgent())
    await agent.until((works) => works.size === 1 && works.get('again') === 2)
    assert.deepEqual(
      (await core.bundles.list(ALL)).rows.map(({ id }) => id),
      ['again'],
    )
  })

  test(`faults on ${kind}: a cluster with the name of a detached one does not get its bundles`, async (t) => {
    const { source, connectAgent, core, consumer } = await start(t)
    const statuses = source.subscribe({ source: 's1' })
    await statuses.header
    const ids = Array.from({ length: 120 }, (_, index) => `b${index}`)
    await Promise.all(ids.map((id) => source.publish(spec('create', { id }))))
    await source.publish(spec('delete', { id: 'b0' }))
    await core.consumers.delete(consumer.id, { force: true })
    await core.consumers.create({ name: 'c1' })
    const isDeletion = (event: CloudEvent) => String(event.data).includes('"ConsumerDeleted"')
    await statuses.next(() => statuses.events.filter(isDeletion).length === 120)
    const agent = new TestAgent(connectAgent())
    await agent.connect()
    await source.publish(spec('create', { id: 'new' }))
    await agent.until((works) => works.has('new'))
    assert.deepEqual([...agent.works.keys()], ['new'])
  })

  test(`faults on ${kind}: a deletion that the agent lost is sent again`, async (t) => {
    const { source, agent, core } = await start(t, { repeatDeletionsAfterSeconds: 0.1 })
    const works = agent.subscribe({ clusterName: 'c1' })
    await works.header
    await source.publish(spec('create', { id: 'b1' }))
    await source.publish(spec('delete', { id: 'b1' }))
    const isDeletion = (event: CloudEvent) => event.type.endsWith('.spec.delete_request')
    await works.next((event) => isDeletion(event) && works.events.filter(isDeletion).length >= 2)
    await agent.publish(status({ id: 'b1', version: 1, sequence: 1, condition: 'Deleted' }))
    assert.equal(await core.bundles.get('b1'), undefined)
  })

  test(`faults on ${kind}: creates are delivered while many deletions wait`, async (t) => {
    const { source, agent, core } = await start(t)
    const ids = Array.from({ length: 500 }, (_, index) => `b${index}`)
    await Promise.all(ids.map((id) => source.publish(spec('create', { id }))))
    const works = agent.subscribe({ clusterName: 'c1' })
    await works.header
    const deletes = Promise.all(ids.map((id) => source.publish(spec('delete', { id }))))
    await source.publish(spec('create', { id: 'new' }))
    await works.next((event) => event.extensions.resourceid === 'new')
    await deletes
    await works.next(() => works.events.filter((event) => event.type.endsWith('.delete_request')).length === 500)
    assert.equal((await core.bundles.list(ALL)).total, 501)
  })
}
