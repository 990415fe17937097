import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import type { Member } from './members.js'
import { summarize } from './summary.js'

function memberWith(conditions: NonNullable<NonNullable<ManifestWork['status']>['conditions']>): Map<string, Member> {
  const metadata = { namespace: 'c1', name: 'w', generation: 3 } as ManifestWork['metadata']
  const work: ManifestWork = {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata,
    status: { conditions },
  }
  return new Map([['c1', { cluster: 'c1', placement: 'p', spec: {}, work, isUpdated: true }]])
}

test('summarize: ignores conditions of an older generation, and counts those without one', () => {
  const condition = { status: 'True', reason: 'Any', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' } as const
  const counts = summarize(
    ['c1'],
    memberWith([
      { ...condition, type: 'Applied', observedGeneration: 3 },
      { ...condition, type: 'Available' },
      { ...condition, type: 'Progressing', observedGeneration: 2 },
      { ...condition, type: 'Degraded', status: 'False' },
    ]),
  )
  assert.deepEqual(counts, {
    desiredTotal: 1,
    total: 1,
    updated: 1,
    applied: 1,
    available: 1,
    progressing: 0,
    degraded: 0,
  })
})
