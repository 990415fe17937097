import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '@orrery/kinds'
import { boundStatus } from './datavolume/status.js'
import { dataVolumeOf, NOW } from './testing.fixture.js'
import { restOfGrace } from './times.js'

const after = (milliseconds: number) => new Date(NOW.getTime() + milliseconds)
const since = '2030-01-01T00:00:00Z'

test('restOfGrace: does not cut a grace period short', () => {
  // It may have begun at the end of the second.
  assert.equal(restOfGrace(1, since, after(999)), 1)
  assert.equal(restOfGrace(30, since, after(11_000)), 20)
  assert.equal(restOfGrace(30, since, after(60_000)), 0)
  assert.equal(restOfGrace(0, since, NOW), 0)
})

test('boundStatus: shows every step of a transfer that began at the end of a second', () => {
  const conditions = [{ type: 'Bound', status: 'True' as const, lastTransitionTime: since }]
  const dataVolume = { ...dataVolumeOf(''), status: { conditions } }
  const claim = { metadata: { name: 'root' } } as PersistentVolumeClaim
  const phases = [999, 1_250, 2_249, 2_250].map(
    (time) => boundStatus(dataVolume, claim, undefined, after(time)).status.phase,
  )
  assert.deepEqual(phases, ['ImportScheduled', 'ImportInProgress', 'ImportInProgress', 'Succeeded'])
})
