import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import fc from 'fast-check'
import { ReceivingHub, StoredRecords } from './outbox.fixture.js'
import { Outbox } from './outbox.js'
import type { OperationRecord } from './record.js'
import type { RecordStore } from './record-store.js'

const clockStart = new Date('2030-01-01T00:00:00Z')

function record(operationId: string): OperationRecord {
  return {
    operationId,
    type: 'VMStart',
    target: 'vdc-acme-dev/web',
    finishedAt: clockStart.toISOString(),
    messages: [
      { kind: 'result', body: { operation_id: operationId, status: 'completed', timestamp: clockStart.toISOString() } },
    ],
    reported: false,
  }
}

function world() {
  const clock = new FakeClock(clockStart)
  const hub = new ReceivingHub()
  const store = new StoredRecords()
  const start = async (maxReported = 1_000) => {
    const outbox = new Outbox({
      hub,
      store: store as unknown as RecordStore,
      clock,
      log: silentLogger,
      retentionMs: () => 3_600_000,
      maxReported,
    })
    await outbox.start(new AbortController().signal)
    return outbox
  }
  return { clock, hub, store, start }
}

test('outbox: a result is stored, sent, and known as reported', async () => {
  const { hub, store, start } = world()
  const outbox = await start()
  await outbox.add(record('op-1'))
  assert.equal(store.records.has('op-1'), true)
  await eventually('the report', () => outbox.size === 0)
  await eventually('the mark', () => store.records.get('op-1')?.reported === true)
  assert.deepEqual(hub.received, ['result op-1'])
  await outbox.stop()
})

test('outbox: results of an hour without a hub are sent in order when it is back', async () => {
  const { clock, hub, start } = world()
  const outbox = await start()
  hub.isAway = true
  for (const id of ['a', 'b', 'c']) await outbox.add(record(id))
  await eventually('the failure', () => outbox.health().status === 'warning')
  clock.advance(3_600_000)
  assert.equal(outbox.size, 3)
  assert.match(outbox.health().message ?? '', /3 results wait for the hub: the hub is away/)
  hub.isAway = false
  await eventually('all reports', () => outbox.size === 0, { meanwhile: () => clock.advance(5_000) })
  assert.deepEqual(hub.received, ['result a', 'result b', 'result c'])
  await outbox.stop()
})

test('outbox: what a killed agent had not reported is reported by the next one', async () => {
  const { clock, hub, store, start } = world()
  hub.isAway = true
  const killed = await start()
  await killed.add(record('op-1'))
  // The first agent is gone: only the cluster's objects remain.
  hub.isAway = false
  const next = await start()
  assert.notEqual(next.find('op-1'), undefined)
  await eventually('the report', () => next.size === 0, { meanwhile: () => clock.advance(1_000) })
  assert.ok(hub.received.includes('result op-1'))
  assert.equal(store.records.size, 1)
  await Promise.all([killed.stop(), next.stop()])
})

test('outbox: a message that the hub rejects for good does not hold up the others', async () => {
  const { hub, start } = world()
  const outbox = await start()
  hub.rejects.add('gone')
  await outbox.add(record('gone'))
  await outbox.add(record('next'))
  await eventually('the reports', () => outbox.size === 0)
  assert.deepEqual(hub.received, ['result next'])
  await outbox.stop()
})

test('outbox: a result is sent even while the cluster cannot store it', async () => {
  const { hub, store, start } = world()
  const outbox = await start()
  store.isAway = true
  await outbox.add(record('op-1'))
  await eventually('the report', () => hub.received.length === 1)
  assert.notEqual(outbox.find('op-1'), undefined)
  await outbox.stop()
})

test('outbox: refuses to start while it cannot know what was executed', async () => {
  const { store, start } = world()
  store.isAway = true
  await assert.rejects(start(), /API is away/)
})

test('outbox: keeps a bounded number of reported records, and those of the retention time', async () => {
  const { clock, store, start } = world()
  const outbox = await start(2)
  for (const id of ['a', 'b', 'c', 'd']) await outbox.add(record(id))
  await eventually('the pruning', () => store.records.size === 2)
  assert.deepEqual([...store.records.keys()], ['c', 'd'])
  clock.advance(3_600_001)
  await outbox.add({ ...record('e'), finishedAt: clock.now().toISOString() })
  await eventually('the pruning', () => store.records.size === 1, { meanwhile: () => clock.advance(5_000) })
  assert.equal(outbox.find('d'), undefined)
  await outbox.stop()
})

test('outbox: whatever fails in between, every result arrives and in the end none is left', async () => {
  const steps = fc.array(fc.constantFrom('add', 'hub away', 'hub back', 'store away', 'store back', 'wait'), {
    maxLength: 20,
  })
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { clock, hub, store, start } = world()
      const outbox = await start()
      let added = 0
      for (const step of script) {
        if (step === 'add') await outbox.add(record(`op-${added++}`))
        else if (step === 'wait') clock.advance(5_000)
        else if (step.startsWith('hub')) hub.isAway = step.endsWith('away')
        else store.isAway = step.endsWith('away')
      }
      hub.isAway = false
      store.isAway = false
      await eventually('all reports', () => outbox.size === 0, { meanwhile: () => clock.advance(5_000) })
      const distinct = new Set(hub.received)
      assert.equal(distinct.size, added)
      await outbox.stop()
    }),
    { numRuns: 30 },
  )
})
