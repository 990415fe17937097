import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { feedback } from './feedback.js'

const conditions: [] = []
const work = (...values: object[]): Pick<ManifestWork, 'status'> =>
  ({
    status: {
      resourceStatus: {
        manifests: [
          { resourceMeta: { ordinal: 0, kind: 'Namespace', name: 'clusters' }, conditions, statusFeedback: {} },
          { resourceMeta: { ordinal: 1, kind: 'HostedCluster', name: 'a' }, conditions, statusFeedback: { values } },
          {
            resourceMeta: { ordinal: 2, kind: 'HostedCluster', name: 'b' },
            conditions,
            statusFeedback: { values: [{ name: 'ready', fieldValue: { type: 'Boolean', boolean: false } }] },
          },
        ],
      },
    },
  }) as unknown as ManifestWork

test('feedback: parses JSON and returns other values as they are', () => {
  const status = { conditions: [{ type: 'Available', status: 'True' }] }
  const reported = work(
    { name: 'status', fieldValue: { type: 'JsonRaw', jsonRaw: JSON.stringify(status) } },
    { name: 'replicas', fieldValue: { type: 'Integer', integer: 3 } },
    { name: 'phase', fieldValue: { type: 'String', string: 'Ready' } },
    { name: 'ready', fieldValue: { type: 'Boolean', boolean: true } },
  )
  assert.equal(feedback<typeof status>(reported, 'status')?.conditions[0]?.type, 'Available')
  assert.equal(feedback<number>(reported, 'replicas'), 3)
  assert.equal(feedback<string>(reported, 'phase'), 'Ready')
  assert.equal(feedback<boolean>(reported, 'ready'), true)
})

test('feedback: selects the manifest', () => {
  const reported = work({ name: 'ready', fieldValue: { type: 'Boolean', boolean: true } })
  assert.equal(feedback(reported, 'ready', { kind: 'HostedCluster', name: 'b' }), false)
  assert.equal(feedback(reported, 'ready', { kind: 'NodePool' }), undefined)
})

test('feedback: is undefined until it is reported', () => {
  assert.equal(feedback({}, 'status'), undefined)
  assert.equal(feedback(work(), 'status'), undefined)
})

test('feedback: throws for JSON that is not valid, for example because the agent cut it off', () => {
  const cut = work({ name: 'status', fieldValue: { type: 'JsonRaw', jsonRaw: '{"conditions":[' } })
  assert.throws(() => feedback(cut, 'status'), /feedback "status" is not valid JSON/)
})
