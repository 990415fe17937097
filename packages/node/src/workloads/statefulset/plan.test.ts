import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod, StatefulSet } from '@orrery/kinds'
import { planOf } from './plan.js'

const now = new Date('2030-01-01T00:00:00Z')
const BILLIONS = 2_147_483_647

function setOf(spec: Partial<StatefulSet['spec']>): StatefulSet {
  return { metadata: { name: 'set', namespace: 'default' }, spec } as unknown as StatefulSet
}

function podAt(ordinal: number, { revision = 'new', phase = 'Running' } = {}): Pod {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2029-01-01T00:00:00Z' }]
  return {
    metadata: { name: `set-${ordinal}`, namespace: 'default', labels: { 'controller-revision-hash': revision } },
    status: { phase, conditions },
  } as unknown as Pod
}

const plan = (spec: Partial<StatefulSet['spec']>, pods: Pod[]) =>
  planOf({ set: setOf(spec), pods, updateRevision: 'new', now })
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name)

test('planOf: a set with billions of replicas creates one pod after the other', () => {
  assert.deepEqual(plan({ replicas: BILLIONS }, []).create, [0])
  assert.deepEqual(plan({ replicas: BILLIONS, ordinals: { start: 5 } }, [podAt(5), podAt(6)]).create, [7])
  assert.deepEqual(plan({ replicas: BILLIONS }, [podAt(0, { phase: 'Pending' })]).create, [])
})

test('planOf: a parallel set with billions of replicas creates 500 pods at a time', () => {
  const { create } = plan({ replicas: BILLIONS, podManagementPolicy: 'Parallel' }, [podAt(1)])
  assert.equal(create.length, 500)
  assert.deepEqual(create.slice(0, 3), [0, 2, 3])
})

test('planOf: removes pods outside the ordinals, the last first', () => {
  const parallel = { podManagementPolicy: 'Parallel', replicas: 2, ordinals: { start: 1 } } as const
  const pods = [podAt(0), podAt(1), podAt(2), podAt(3)]
  assert.deepEqual(names(plan(parallel, pods).remove), ['set-3', 'set-0'])
  assert.deepEqual(names(plan({ replicas: 2 }, pods).remove), ['set-3'])
})

test('planOf: replaces outdated pods from the last to the partition', () => {
  const pods = [0, 1, 2, 3].map((ordinal) => podAt(ordinal, { revision: 'old' }))
  assert.deepEqual(names(plan({ replicas: 4 }, pods).remove), ['set-3'])
  const rollingUpdate = { maxUnavailable: '50%', partition: 3 }
  assert.deepEqual(names(plan({ replicas: 4, updateStrategy: { rollingUpdate } }, pods).remove), ['set-3'])
  const half = { maxUnavailable: '50%' }
  assert.deepEqual(names(plan({ replicas: 4, updateStrategy: { rollingUpdate: half } }, pods).remove), [
    'set-3',
    'set-2',
  ])
  const parallel = { replicas: BILLIONS, podManagementPolicy: 'Parallel' } as const
  assert.deepEqual(plan(parallel, pods).remove, [])
})
