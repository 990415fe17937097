import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClusterReport, Phase } from './messages.js'
import { isHealthy, phaseOfCluster } from './part-state.js'

const UNACCEPTED: ReadonlySet<Phase> = new Set<Phase>(['joining', 'denied'])

const report = (phase: ClusterReport['phase'], isAccepted = !UNACCEPTED.has(phase)): ClusterReport => ({
  name: 'c',
  phase,
  isAccepted,
})

const CASES: readonly [own: Phase, hub: ClusterReport['phase'] | undefined, shown: Phase][] = [
  ['starting', undefined, 'starting'],
  ['starting', 'available', 'starting'],
  ['serving', 'available', 'serving'],
  ['joining', undefined, 'joining'],
  ['joining', 'joining', 'joining'],
  ['joining', 'accepted', 'accepted'],
  ['joining', 'available', 'accepted'],
  ['joining', 'unavailable', 'accepted'],
  ['joining', 'denied', 'denied'],
  ['serving', 'denied', 'serving'],
  ['joined', 'accepted', 'joined'],
  ['joined', 'available', 'available'],
  ['joined', 'unavailable', 'unavailable'],
  ['joined', 'denied', 'denied'],
]

for (const [own, hub, shown] of CASES) {
  test(`phaseOfCluster: own phase ${own}, on the hub ${hub ?? 'unknown'}, is shown as ${shown}`, () => {
    assert.equal(phaseOfCluster(own, hub && report(hub)).phase, shown)
  })
}

test('phaseOfCluster: a detached cluster is not accepted, whatever its own phase', () => {
  const detail = 'it was detached'
  assert.deepEqual(phaseOfCluster('joining', { ...report('unavailable', false), detail }), {
    phase: 'unavailable',
    detail,
  })
})

test('isWell: a hub is healthy when ready, a cluster when available', () => {
  assert.equal(isHealthy({ name: 'hub', phase: 'ready' }), true)
  assert.equal(isHealthy({ name: 'hub', phase: 'serving' }), false)
  assert.equal(isHealthy({ name: 'c', phase: 'available' }), true)
  assert.equal(isHealthy({ name: 'c', phase: 'ready' }), false)
})
