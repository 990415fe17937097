import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { failure } from '@orrery/kinds/values'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import {
  NO_RESOURCES,
  OPERATION_TYPES,
  type OperationResult,
  operationTypeOf,
  publicOperationName,
  QUERY_TYPES,
  type VmStatus,
  type WireOperation,
} from '../../wire/index.js'
import { type Execution, persistently } from '../execution/execution.js'
import { OperationError } from '../execution/operation-error.js'
import { ReceivingHub, StoredRecords } from '../records/outbox.fixture.js'
import { Outbox } from '../records/outbox.js'
import type { RecordStore } from '../records/record-store.js'
import type { HandlerContext } from './handlers.js'
import { type Finished, OperationProcessor } from './processor.js'

const NAMESPACE = 'vdc-acme-dev'
const TARGET = { namespace: NAMESPACE, name: 'web' }
const VM: VmStatus = { ...TARGET, status: 'running', phase: 'Running', created_at: '', updated_at: '' }

type Call = (what: string, execution: Execution) => Promise<void>

/** Handlers that note what they are asked for. */
function contextOf(calls: string[], call: Call = async () => undefined): HandlerContext {
  const on = (what: string) => async (target: { name: string }, execution: Execution) => {
    calls.push(`${what} ${target.name}`)
    await call(`${what} ${target.name}`, execution)
    return VM
  }
  return {
    clusterId: 'cluster-01',
    machines: {
      create: on('create'),
      start: on('start'),
      stop: on('stop'),
      restart: on('restart'),
      pause: on('pause'),
      unpause: on('unpause'),
      status: on('status'),
      delete: async (target, execution) => (await on('delete')(target, execution)) !== undefined,
      update: async (target, execution) => ({ status: await on('update')(target, execution), restartRequired: true }),
    },
    vdcs: {
      apply: async ({ vdc_name: name }, execution) => (await on('apply')({ name }, execution)) !== undefined,
      delete: async ({ vdc_name: name }, execution) => {
        await on('delete-vdc')({ name }, execution)
        return ['namespace/vdc-acme-dev']
      },
    },
    templates: {
      sync: async (sync) => {
        calls.push(`sync ${sync?.templates.length ?? 'hub'}`)
        return { synced: sync?.templates.length ?? 0, removed: 0, incompatible: {} }
      },
    },
    isVdcManagementEnabled: () => true,
    updateConfig: async (changes) => {
      calls.push('config')
      return Object.keys(changes)
    },
    listMachines: () => [VM],
    health: () => ({ status: 'healthy', checks: [], uptime: 1, version: '1', last_report: '' }),
    metrics: () => ({ cluster_id: 'c', zone_id: 'z', resources: NO_RESOURCES, node_status: [], last_collected: '' }),
  }
}

async function world(t: TestContext, call?: Call, store = new StoredRecords()) {
  const clock = new FakeClock()
  const hub = new ReceivingHub()
  const calls: string[] = []
  const finished: Finished[] = []
  const outbox = new Outbox({
    hub,
    store: store as unknown as RecordStore,
    clock,
    log: silentLogger,
    retentionMs: () => 3_600_000,
  })
  await outbox.start(new AbortController().signal)
  const progress: OperationResult[] = []
  const processor = new OperationProcessor({
    context: contextOf(calls, call),
    outbox,
    clock,
    log: silentLogger,
    concurrency: () => 4,
    queueSize: () => 10,
    timeoutMs: () => 300_000,
    sendProgress: async (result) => void progress.push(result),
    onFinished: (one) => finished.push(one),
  })
  await processor.start()
  t.after(() => outbox.stop())
  const run = async (
    type: string,
    payload: JsonObject,
    more: Partial<WireOperation> = {},
  ): Promise<OperationResult> => {
    const operation = { id: `op-${finished.length}`, type, payload, timestamp: '', ...more }
    await processor.accept(operation)
    return finished.at(-1)?.result as OperationResult
  }
  return { clock, hub, store, calls, finished, outbox, processor, progress, run }
}

const PAYLOADS: Readonly<Record<string, readonly [JsonObject, string]>> = {
  VMCreate: [{ ...TARGET, template_name: 'ubuntu' }, 'create web'],
  VMDelete: [TARGET, 'delete web'],
  VMStart: [TARGET, 'start web'],
  VMStop: [TARGET, 'stop web'],
  VMRestart: [TARGET, 'restart web'],
  VMPause: [TARGET, 'pause web'],
  VMUnpause: [TARGET, 'unpause web'],
  VMUpdate: [{ ...TARGET, cpu: 2 }, 'update web'],
  VDCCreate: [{ vdc_name: 'dev', organization: 'acme', quota: { cpu: 4, memory: 8 } }, 'apply dev'],
  VDCUpdate: [{ name: 'dev', organization_name: 'acme', cpu_quota: 4 }, 'apply dev'],
  VDCDelete: [{ vdc_name: 'dev', organization: 'acme' }, 'delete-vdc dev'],
  TemplateSync: [{ templates: [{ name: 'ubuntu', image_url: 'quay.io/x' }] }, 'sync 1'],
  ConfigUpdate: [{ logging: { level: 'debug' } }, 'config'],
}
for (const type of OPERATION_TYPES) {
  test(`operation processor: ${type}, also as ${publicOperationName(type)}`, async (t) => {
    const { run, calls } = await world(t)
    const [payload, call] = PAYLOADS[type] ?? [{}, '']
    for (const name of [type, publicOperationName(type)]) {
      assert.equal(operationTypeOf(name), type)
      const result = await run(name, payload)
      assert.equal(result.status, 'completed', result.error)
    }
    assert.deepEqual(calls, [call, call])
  })
}

for (const type of QUERY_TYPES) {
  test(`operation processor: ${type} is answered and not kept on the cluster`, async (t) => {
    const { run, store } = await world(t)
    assert.equal((await run(type, TARGET)).status, 'completed')
    assert.equal(store.records.size, 0)
  })
}

test('operation processor: an unknown type and a wrong payload fail with the name of the field', async (t) => {
  const { run, calls } = await world(t)
  assert.equal((await run('VMTeleport', TARGET)).error, 'unsupported operation type: VMTeleport')
  const result = await run('VMCreate', { name: 'Web', cpu: 'many' })
  assert.deepEqual(result.result, { reason: 'InvalidPayload' })
  for (const part of ['payload.name: Invalid value', 'payload.namespace: Required', 'payload.cpu: Invalid value']) {
    assert.ok(result.error?.includes(part), result.error)
  }
  assert.deepEqual(calls, [])
})

test('operation processor: an operation that is delivered again is not executed again', async (t) => {
  const { run, calls, hub, outbox } = await world(t)
  await run('VMStart', TARGET, { id: 'same' })
  await eventually('the report', () => outbox.size === 0)
  await run('VMStart', TARGET, { id: 'same', retry_count: 1 })
  await eventually('the second report', () => hub.received.length === 2)
  assert.deepEqual(calls, ['start web'])
  assert.deepEqual(hub.received, ['result same', 'result same'])
})

test('operation processor: a duplicate that arrives during the execution joins it', async (t) => {
  let release = (): void => undefined
  const { processor, calls } = await world(t, () => new Promise((resolve) => (release = resolve)))
  const operation = { id: 'same', type: 'VMStop', payload: TARGET, timestamp: '' }
  const first = processor.accept(operation)
  const second = processor.accept(operation)
  assert.equal(processor.depth, 1)
  await eventually('the execution', () => calls.length === 1)
  release()
  await Promise.all([first, second])
  assert.deepEqual(calls, ['stop web'])
})

test('operation processor: an agent killed between executing and reporting executes once', async (t) => {
  const store = new StoredRecords()
  const killed = await world(t, undefined, store)
  killed.hub.isAway = true
  await killed.run('VMRestart', TARGET, { id: 'once' })
  const next = await world(t, undefined, store)
  await next.run('VMRestart', TARGET, { id: 'once' })
  await eventually('the report', () => next.hub.received.includes('result once'))
  assert.deepEqual([...killed.calls, ...next.calls], ['restart web'])
})

test('operation processor: what an overlapping agent has executed is not executed again', async (t) => {
  const store = new StoredRecords()
  // Both have started before the first one executes something.
  const [first, second] = [await world(t, undefined, store), await world(t, undefined, store)]
  first.hub.isAway = true
  await first.run('VMRestart', TARGET, { id: 'once' })
  store.isAway = true
  void second.run('VMRestart', TARGET, { id: 'once', retry_count: 1 })
  await eventually('the execution', () => second.processor.depth === 1)
  store.isAway = false
  await eventually('the report', () => second.hub.received.includes('result once'), {
    meanwhile: () => second.clock.advance(500),
  })
  assert.deepEqual([...first.calls, ...second.calls], ['restart web'])
})

test('operation processor: operations on one machine keep their order, others run in parallel', async (t) => {
  const releases = new Map<string, () => void>()
  const { processor, calls } = await world(t, (what) => new Promise((resolve) => releases.set(what, resolve)))
  const accept = (id: string, type: string, name: string) =>
    processor.accept({ id, type, payload: { namespace: NAMESPACE, name }, timestamp: '' })
  const all = [accept('1', 'VMStop', 'a'), accept('2', 'VMStart', 'a'), accept('3', 'VMStop', 'b')]
  await eventually('two executions', () => calls.length === 2)
  assert.deepEqual(calls, ['stop a', 'stop b'])
  releases.get('stop a')?.()
  await eventually('the third', () => calls.length === 3)
  assert.equal(calls[2], 'start a')
  releases.get('start a')?.()
  releases.get('stop b')?.()
  await Promise.all(all)
})

test('operation processor: an operation that takes longer than its timeout fails with what it waited for', async (t) => {
  const { run, clock } = await world(t, (_, execution) =>
    persistently(execution, 'KubeVirt does not start the machine yet', async () => {
      throw failure(503, 'ServiceUnavailable', 'virt-api is down')
    }),
  )
  const result = run('VMStart', TARGET, { timeout_seconds: 10 })
  await eventually('a retry', () => clock.waiting >= 2)
  let isDone = false
  const done = result.then((value) => {
    isDone = true
    return value
  })
  await eventually('the deadline', () => isDone, { meanwhile: () => clock.advance(1_000) })
  assert.deepEqual((await done).result, { reason: 'DeadlineExceeded' })
  assert.match((await done).error ?? '', /not finished within 10 s: KubeVirt does not start.*virt-api is down/)
})

test('operation processor: long operations report progress', async (t) => {
  let release = (): void => undefined
  const { run, clock, progress, calls } = await world(t, () => new Promise((resolve) => (release = resolve)))
  const result = run('VMCreate', PAYLOADS.VMCreate?.[0] ?? {})
  await eventually('the execution', () => calls.length === 1)
  clock.advance(15_000)
  assert.deepEqual(
    progress.map(({ status }) => status),
    ['running'],
  )
  release()
  assert.equal((await result).status, 'completed')
  assert.equal((await result).duration, 15_000 * 1e6)
})

test('operation processor: failures have a reason and a message', async (t) => {
  const quota = 'virtualmachines.kubevirt.io "web" is forbidden: exceeded quota: vdc-quota'
  const failures: readonly (readonly [Error, string])[] = [
    [failure(403, 'Forbidden', quota), 'QuotaExceeded'],
    [failure(403, 'Forbidden', 'no permission'), 'Forbidden'],
    [failure(404, 'NotFound', 'gone'), 'NotFound'],
    [failure(422, 'Invalid', 'wrong'), 'InvalidPayload'],
    [new OperationError('TemplateNotFound', 'template "x" does not exist'), 'TemplateNotFound'],
    [new Error('odd'), 'Failed'],
  ]
  for (const [error, reason] of failures) {
    const { run } = await world(t, () => Promise.reject(error))
    const result = await run('VMStart', TARGET)
    assert.deepEqual([result.status, result.error, result.result], ['failed', error.message, { reason }])
  }
})

test('operation processor: stopping finishes operations in progress', async (t) => {
  let release = (): void => undefined
  const { processor, finished, calls } = await world(t, () => new Promise((resolve) => (release = resolve)))
  void processor.accept({ id: '1', type: 'VMStart', payload: TARGET, timestamp: '' })
  await eventually('the execution', () => calls.length === 1)
  const stopped = processor.stop()
  release()
  await stopped
  assert.equal(finished.length, 1)
})

test('operation processor: an operation that stopping cancels has no result, so that it is delivered again', async (t) => {
  const { processor, finished, clock, store, calls } = await world(
    t,
    (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
  )
  void processor.accept({ id: '1', type: 'VMStart', payload: TARGET, timestamp: '' })
  await eventually('the execution', () => calls.length === 1)
  const stopped = processor.stop()
  clock.advance(30_000)
  await stopped
  assert.deepEqual([finished.length, store.records.size], [0, 0])
})

test('operation processor: many failures in a row are a warning', async (t) => {
  const { run, processor } = await world(t, () => Promise.reject(new Error('no')))
  for (let i = 0; i < 5; i++) await run('VMStart', TARGET)
  assert.equal(processor.health().status, 'warning')
  assert.equal(processor.successRatio, 0)
})
