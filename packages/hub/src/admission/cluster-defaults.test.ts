import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { systemClock } from '@orrery/kube/clock'
import { clusterDefaults } from './cluster-defaults.js'
import type { RuleSettings } from './rule.js'

const { mutate } = clusterDefaults({ clock: systemClock, features: {} } as RuleSettings)

function clusterWith(taints: JsonObject[]): KubeObject {
  return { apiVersion: 'v1', kind: 'ManagedCluster', metadata: { name: 'c1' }, spec: { taints } } as KubeObject
}

test('clusterDefaults: reads each of many taints a few times', async () => {
  let reads = 0
  const taints = Array.from({ length: 300 }, (_, index) => ({
    effect: 'NoSelect',
    get key() {
      reads++
      return `k${index}`
    },
  }))
  const old = clusterWith(taints.map((taint) => ({ ...taint, timeAdded: '2026-01-01T00:00:00Z' })))
  reads = 0
  const write = { object: clusterWith(taints), oldObject: old, user: { username: 'admin' } }
  const edits = await mutate(write as unknown as Parameters<typeof mutate>[0])
  assert.equal(edits.length, 300)
  assert.deepEqual(edits[299], { path: ['spec', 'taints', 299, 'timeAdded'], value: '2026-01-01T00:00:00Z' })
  assert.ok(reads <= 3 * 300, `${reads} reads`)
})
