import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '@orrery/api'
import { type DesiredConfig, overridden } from './desired-configs.js'
import { progressOf } from './progress.js'

const NOW = new Date('2030-01-01T01:00:00Z')
const EARLIER = '2030-01-01T00:00:00Z'
const SINCE = new Date('2030-01-01T00:00:00.999Z')
const TYPE = { group: 'g', resource: 'configs' }

const config = (name: string, specHash: string): DesiredConfig => ({ ...TYPE, desiredConfig: { name, specHash } })
const reference = (name: string, specHash: string, applied?: string) => ({
  ...config(name, specHash),
  ...(applied !== undefined && { lastAppliedConfig: { name, specHash: applied } }),
})

function addOn(references: readonly object[], reason?: string): ManagedClusterAddOn {
  const condition = { type: 'Progressing', status: 'True', reason, message: '', lastTransitionTime: EARLIER }
  const status = { configReferences: references, conditions: reason === undefined ? [] : [condition] }
  return { metadata: {}, spec: {}, status } as unknown as ManagedClusterAddOn
}

for (const [title, desired, references, reason, state, since] of [
  ['no configurations', [], [], undefined, 'Succeeded', NOW],
  ['no configurations, completed', [], [], 'Completed', 'Succeeded', SINCE],
  ['not in the status yet', [config('a', '1')], [], 'Completed', 'ToApply', undefined],
  ['another object', [config('a', '1')], [reference('b', '1', '1')], 'Completed', 'ToApply', undefined],
  ['another hash', [config('a', '2')], [reference('a', '1', '1')], 'Completed', 'ToApply', undefined],
  ['no longer desired', [], [reference('a', '1', '1')], 'Completed', 'ToApply', undefined],
  ['never applied', [config('a', '1')], [reference('a', '1')], 'Progressing', 'Progressing', SINCE],
  ['an older one applied', [config('a', '2')], [reference('a', '2', '1')], 'Progressing', 'Progressing', SINCE],
  ['not applied, completed before', [config('a', '2')], [reference('a', '2', '1')], 'Completed', 'Progressing', NOW],
  ['failed', [config('a', '2')], [reference('a', '2', '1')], 'Failed', 'Failed', SINCE],
  ['applied', [config('a', '2')], [reference('a', '2', '2')], 'Completed', 'Succeeded', SINCE],
  ['applied, and unhealthy since', [config('a', '2')], [reference('a', '2', '2')], 'Progressing', 'Succeeded', NOW],
] as const) {
  test(`progressOf: ${title}`, () => {
    const wanted = overridden(new Map(), [...desired])
    const expected = since === undefined ? { state } : { state, since }
    assert.deepEqual(progressOf(addOn([...references], reason), wanted, NOW), expected)
  })
}
