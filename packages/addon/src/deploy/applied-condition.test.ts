import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { appliedFinding, type Deployment } from './applied-condition.js'

/** A work with the condition Applied, if it has a status. */
function work(status?: string): ManifestWork {
  const conditions = status === undefined ? [] : [{ type: 'Applied', status }]
  return { metadata: { name: 'w' }, status: { conditions } } as unknown as ManifestWork
}

const rows: readonly [string, Deployment, string | undefined][] = [
  [
    'a failure',
    { problem: 'failed to apply manifestWork: no' },
    'False ManifestWorkApplyFailed: failed to apply manifestWork: no',
  ],
  ['no works', { works: [] }, 'True AddonManifestApplied: no manifest need to apply'],
  [
    'all applied',
    { works: [work('True'), work('True')] },
    'True AddonManifestApplied: manifests of addon are applied successfully',
  ],
  [
    'one not applied',
    { works: [work('False'), work('True')] },
    'False AddonManifestAppliedFailed: failed to apply the manifests of addon',
  ],
  [
    'one not applied, one not reported',
    { works: [work(), work('False')] },
    'False AddonManifestAppliedFailed: failed to apply the manifests of addon',
  ],
  [
    'one unknown',
    { works: [work('Unknown')] },
    'False AddonManifestAppliedFailed: failed to apply the manifests of addon',
  ],
  ['one not reported', { works: [work('True'), work()] }, undefined],
]

suite('appliedFinding', () => {
  for (const [what, deployment, expected] of rows) {
    test(`${what}: ${expected ?? 'not known yet'}`, () => {
      const found = appliedFinding('HostingManifestApplied', deployment)
      assert.equal(found && `${found.status} ${found.reason}: ${found.message}`, expected)
      assert.equal(found?.type ?? 'HostingManifestApplied', 'HostingManifestApplied')
    })
  }
})
