import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Operation } from '../../kinds/operation.js'
import type { OperationResult } from '../../wire/operation.js'
import { deliverableOf } from './delivery-order.js'
import {
  cancelled,
  delivered,
  expired,
  expiryOf,
  isDeliverable,
  isFinished,
  phaseOf,
  reported,
} from './operation-state.js'

const START = Date.parse('2030-01-01T00:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1_000)

function operation(spec: object = {}, name = 'a'): Operation {
  return {
    apiVersion: 'ovim.io/v1',
    kind: 'Operation',
    metadata: { name, namespace: 'org-a', uid: name, creationTimestamp: '2030-01-01T00:00:00Z', resourceVersion: '1' },
    spec: {
      type: 'VMStart',
      zone: 'east',
      target: { kind: 'VirtualMachineRequest', namespace: 'org-a', name: 'vm' },
      payload: {},
      deadlineSeconds: 3_600,
      ...spec,
    },
  } as unknown as Operation
}

const result = (status: OperationResult['status'], more: Partial<OperationResult> = {}): OperationResult => ({
  operation_id: 'a',
  status,
  timestamp: '2030-01-01T00:00:10.250Z',
  ...more,
})

const EVENTS = fc.oneof(
  fc.record({ type: fc.constant('deliver' as const) }),
  fc.record({ type: fc.constant('expire' as const) }),
  fc.record({
    type: fc.constant('report' as const),
    status: fc.constantFrom('pending' as const, 'running' as const, 'completed' as const, 'failed' as const),
  }),
)

test('operation state: a result is final, the first one wins, and nothing finished is delivered', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(EVENTS, fc.integer({ min: 1, max: 900 }))), (events) => {
      let seconds = 0
      let current = operation()
      let firstResult: string | undefined
      for (const [event, step] of events) {
        seconds += step
        const before = phaseOf(current)
        const now = at(seconds)
        if (event.type === 'deliver') {
          if (!isDeliverable(current, now)) continue
          assert.ok(!isFinished(current))
          assert.ok(before === 'Pending' || now >= new Date(current.status?.leasedUntil ?? 0))
          current = { ...current, status: delivered(current, 'agent', now) }
          assert.ok(!isDeliverable(current, now), 'an operation is leased to one agent at a time')
        } else if (event.type === 'expire') {
          if (isFinished(current) || now < expiryOf(current)) continue
          current = { ...current, status: expired(current, now) }
        } else {
          const status = reported(current, result(event.status), now)
          const isResult = event.status === 'completed' || event.status === 'failed'
          if (isResult) firstResult ??= event.status
          current = { ...current, status }
        }
        if (firstResult !== undefined) assert.equal(phaseOf(current).toLowerCase(), firstResult)
        if (isFinished(current)) assert.equal(current.status?.leasedUntil, undefined)
      }
    }),
  )
})

test('operation state: an unfinished operation is always delivered again or expires', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 86_400 }),
      fc.integer({ min: 1, max: 7_200 }),
      (timeoutSeconds, deadlineSeconds) => {
        const leased = operation({ timeoutSeconds, deadlineSeconds })
        const after = { ...leased, status: delivered(leased, 'agent', at(0)) }
        const end = expiryOf(after)
        assert.ok(end >= at(deadlineSeconds))
        assert.ok(
          isDeliverable(after, new Date(Date.parse(after.status.leasedUntil ?? ''))) ||
            end <= at(Math.max(60, timeoutSeconds)),
        )
      },
    ),
  )
})

test('operation state: records the result, the error and the times', () => {
  const leased = { ...operation(), status: delivered(operation(), 'agent', at(5)) }
  const done = reported(leased, result('completed', { result: { vm: {} }, duration: 1_500_000 }), at(11))
  assert.deepEqual(
    [done.phase, done.reportedAt, done.completedAt, done.durationMilliseconds, done.result, done.agentId],
    ['Completed', '2030-01-01T00:00:10.250Z', '2030-01-01T00:00:11Z', 2, { vm: {} }, 'agent'],
  )
  assert.equal(done.conditions?.[0]?.status, 'True')
  const failed = reported(leased, result('failed'), at(11))
  assert.equal(failed.error, 'the agent reported a failure without a reason')
  const large = reported(leased, result('completed', { result: { log: 'x'.repeat(100_000) } }), at(11))
  assert.deepEqual(Object.keys(large.result ?? {}), ['truncated'])
  assert.equal(cancelled(operation(), 'not needed', at(1)).error, 'not needed')
})

test('deliverableOf: takes the first operation of each target, in order', () => {
  const second = operation({}, 'b')
  const other = operation({ target: { kind: 'VirtualDataCenter', namespace: 'org-a', name: 'vm' } }, 'c')
  const numbered = (one: Operation, sequence: number) => ({
    ...one,
    metadata: { ...one.metadata, labels: { 'ovim.io/sequence': String(sequence) } },
  })
  const names = (operations: Operation[]) => operations.map(({ metadata }) => metadata.name)
  assert.deepEqual(names(deliverableOf([other, second, operation()], at(1))), ['a', 'c'])
  assert.deepEqual(names(deliverableOf([numbered(operation(), 10), numbered(second, 9)], at(1))), ['b'])
  const leased = { ...operation(), status: delivered(operation(), 'agent', at(0)) }
  assert.deepEqual(names(deliverableOf([leased, second], at(1))), [])
  assert.deepEqual(names(deliverableOf([leased, second], at(60))), ['a'])
  const done = { ...operation(), status: reported(leased, result('failed'), at(1)) }
  assert.deepEqual(names(deliverableOf([done, second], at(1))), ['b'])
})
