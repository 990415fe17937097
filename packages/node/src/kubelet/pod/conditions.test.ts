import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodCondition } from '@orrery/kinds'
import { conditionsOf } from './conditions.js'
import { podOf, RUNNING, statusOf, WAITING } from './testing.fixture.js'

const NOW = new Date('2030-01-01T00:00:00Z')
const LATER = new Date('2030-01-01T00:01:00Z')

function find(conditions: readonly PodCondition[], type: string): PodCondition | undefined {
  return conditions.find((condition) => condition.type === type)
}

test('conditionsOf: keeps a pod unready until the conditions of its readiness gates are true', () => {
  const spec = { containers: [{ name: 'main' }], readinessGates: [{ conditionType: 'example.com/lb' }] }
  const facts = { phase: 'Running' as const, initStatuses: [], statuses: [statusOf('main', RUNNING)], isPrepared: true }
  const without = conditionsOf(podOf(spec), facts, NOW)
  assert.equal(find(without, 'ContainersReady')?.status, 'True')
  assert.equal(find(without, 'Ready')?.reason, 'ReadinessGatesNotReady')
  assert.match(find(without, 'Ready')?.message ?? '', /pod readiness gate "example.com\/lb" does not exist\.$/)
  const gate = { type: 'example.com/lb', status: 'True' as const }
  const open = conditionsOf(podOf(spec, { conditions: [gate] }), facts, NOW)
  assert.equal(find(open, 'Ready')?.status, 'True')
  assert.deepEqual(find(open, 'example.com/lb'), gate)
})

test('conditionsOf: updates times only when the status of a condition changes', () => {
  const spec = { containers: [{ name: 'main' }] }
  const facts = {
    phase: 'Pending' as const,
    initStatuses: [],
    statuses: [statusOf('main', WAITING)],
    isPrepared: false,
  }
  const before = conditionsOf(podOf(spec), facts, NOW)
  assert.equal(find(before, 'Ready')?.message, 'containers with unready status: [main]')
  const running = { ...facts, phase: 'Running' as const, statuses: [statusOf('main', RUNNING)], isPrepared: true }
  const after = conditionsOf(podOf(spec, { conditions: before }), running, LATER)
  assert.equal(find(after, 'Ready')?.lastTransitionTime, '2030-01-01T00:01:00Z')
  assert.equal(find(after, 'PodScheduled')?.lastTransitionTime, '2030-01-01T00:00:00Z')
})
