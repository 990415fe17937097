import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplicaSet } from '@orrery/kinds'
import fc from 'fast-check'
import { proportionalSizes } from './proportion.js'
import { sizeOf } from './rollout.js'
import { rollingSizes } from './sizes.js'

function set(name: string, replicas: number, availableReplicas: number, max?: number): ReplicaSet {
  const annotations = max === undefined ? {} : { 'deployment.kubernetes.io/max-replicas': String(max) }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace: 'default',
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: `2030-01-0${name.length}T00:00:00Z`,
      annotations,
    },
    spec: { replicas, selector: { matchLabels: { app: 'web' } } },
    status: { replicas, availableReplicas },
  }
}

const bounds = fc
  .record({ replicas: fc.nat(10), maxSurge: fc.nat(4), maxUnavailable: fc.nat(4) })
  .map(({ replicas, maxSurge, maxUnavailable }) => ({
    replicas,
    maxSurge,
    maxUnavailable: Math.min(maxSurge === 0 ? Math.max(1, maxUnavailable) : maxUnavailable, replicas),
  }))

test('rollingSizes: respects maxSurge and maxUnavailable in every step and always makes progress', () => {
  const sizes = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(bounds, fc.tuple(fc.nat(10), fc.nat(10)), sizes, (limits, [size, ready], formers) => {
      const current = set('a', Math.min(size, limits.replicas), Math.min(size, ready, limits.replicas))
      const former = formers.map(([count, up], index) => set('bcd'.slice(0, index + 2), count, Math.min(count, up)))
      const step = rollingSizes(limits, { current, former })
      const all = [current, ...former]
      const after = (one: ReplicaSet) => step.get(one) ?? sizeOf(one)
      const sum = (of: (one: ReplicaSet) => number) => all.reduce((total, one) => total + of(one), 0)
      const [before, next] = [sum(sizeOf), sum(after)]
      assert.ok(next <= Math.max(before, limits.replicas + limits.maxSurge))
      assert.ok(all.every((one) => after(one) >= 0))
      const available = (one: ReplicaSet) => one.status?.availableReplicas ?? 0
      // A ReplicaSet removes unavailable pods before available ones.
      const left = sum((one) => Math.min(available(one), after(one)))
      assert.ok(left >= Math.min(sum(available), limits.replicas - limits.maxUnavailable))
      const isDone = before === limits.replicas && sizeOf(current) === limits.replicas
      const isAllUp = sum(available) === before
      if (isAllUp && !isDone && limits.replicas > 0) assert.notEqual(step.size, 0)
    }),
  )
})

test('proportionalSizes: distributes a change of replicas among the ReplicaSets of a rollout', () => {
  const current = set('a', 6, 6, 13)
  const former = [set('bb', 5, 5, 13), set('ccc', 2, 2, 13)]
  const grown = proportionalSizes({ replicas: 20, maxSurge: 6, maxUnavailable: 5 }, { current, former }, true)
  assert.deepEqual(
    [current, ...former].map((one) => grown.get(one)),
    [12, 10, 4],
  )
  const none = proportionalSizes({ replicas: 0, maxSurge: 0, maxUnavailable: 0 }, { current, former }, true)
  assert.deepEqual([...none.values()], [0, 0, 0])
})

test('proportionalSizes: gives all pods to the only active ReplicaSet, and none for replicas 0', () => {
  const current = set('a', 3, 3)
  const limits = { replicas: 5, maxSurge: 1, maxUnavailable: 0 }
  assert.deepEqual([...proportionalSizes(limits, { current, former: [set('bb', 0, 0)] }, true)], [[current, 5]])
})
