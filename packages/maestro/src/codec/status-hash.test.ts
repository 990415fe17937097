import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { ManifestWorkStatus } from '@orrery/api'
import { NO_STATUS_HASH, statusHash } from './status-hash.js'

const at = '2026-08-04T11:20:54Z'
const status: ManifestWorkStatus = {
  conditions: [
    {
      type: 'Applied',
      status: 'True',
      reason: 'AppliedManifestWorkComplete',
      message: 'ok',
      lastTransitionTime: at,
      observedGeneration: 2,
    },
    { type: 'X', status: 'False', reason: '', message: '', lastTransitionTime: at, observedGeneration: 0 },
  ],
  resourceStatus: {
    manifests: [
      {
        resourceMeta: {
          ordinal: 0,
          version: 'v1',
          kind: 'ConfigMap',
          resource: 'configmaps',
          name: 'a',
          namespace: 'default',
        },
        statusFeedback: {
          values: [
            { name: 'n', fieldValue: { type: 'Integer', integer: 3 } },
            { name: 's', fieldValue: { type: 'String', string: '<a> & \u2028 ü' } },
          ],
        },
        conditions: [{ type: 'Available', status: 'True', reason: 'R', message: 'm', lastTransitionTime: at }],
      },
      { resourceMeta: { ordinal: 1 }, conditions: [] },
    ],
  },
}

test('statusHash: is the hash that the Go agent computes', () => {
  assert.equal(statusHash(status), 'e1c2fb7a624e4b2264d6092a248978583df058d1fe251b3f1b7ab5569f570e32')
  const empty = '3a4ba43801251ccdf889a3154674d23a35ab996aacfc00de92e61dbb2f5cf189'
  assert.equal(statusHash(undefined), empty)
  assert.equal(statusHash({ conditions: [], resourceStatus: { manifests: [] } }), empty)
})

test('NO_STATUS_HASH: is the hash of nothing', () => {
  assert.equal(NO_STATUS_HASH, createHash('sha256').digest('hex'))
})
