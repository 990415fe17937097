import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject, Kind } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { each } from './each.js'
import { FakeInformer } from './fake-informer.fixture.js'
import { byController, byOwner } from './owner-mapping.js'
import {
  annotationsChanged,
  anyOf,
  conditionChanged,
  finalizersChanged,
  generationChanged,
  labelsChanged,
} from './predicates.js'
import type { Wake } from './types.js'

interface Pod extends ApiObject {
  spec: { nodeName?: string }
}

const Pod: Kind<Pod, object> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' }
const Job = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', scope: 'Namespaced' } as const
const Node = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const

/** Every wake since the last call, as `key` when fresh and `(key)` otherwise. */
function listen(wake: Wake) {
  const heard: string[] = []
  const stop = wake.start((ref, urgency) => heard.push(urgency === 'fresh' ? keyOf(ref) : `(${keyOf(ref)})`))
  return { stop, heard: () => heard.splice(0) }
}

function pod(name: string, fields: Partial<Pod['metadata']> = {}) {
  return { metadata: { namespace: 'ns', name, ...fields } }
}

test('each: wakes for the object on each change', () => {
  const pods = new FakeInformer(Pod, [pod('old')]).sync()
  const { heard, stop } = listen(each(pods))
  assert.deepEqual(heard(), ['(ns/old)'], 'existing objects are not fresh')
  pods.write(pod('a'))
  pods.write(pod('a', { labels: { x: 'y' } }))
  pods.repeat({ namespace: 'ns', name: 'a' })
  pods.delete({ namespace: 'ns', name: 'a' })
  assert.deepEqual(heard(), ['ns/a', 'ns/a', '(ns/a)', 'ns/a'])
  stop()
  pods.write(pod('b'))
  assert.deepEqual(heard(), [])
})

test('each: a mapping wakes for the old and the new target', () => {
  const pods = new FakeInformer(Pod).sync()
  const byNode = ({ spec }: Pod) => (spec.nodeName === undefined ? undefined : { name: spec.nodeName })
  const { heard } = listen(each(pods, byNode))
  pods.write({ ...pod('a'), spec: {} })
  assert.deepEqual(heard(), [])
  pods.write({ ...pod('a'), spec: { nodeName: 'n1' } })
  assert.deepEqual(heard(), ['n1'])
  pods.write({ ...pod('a'), spec: { nodeName: 'n2' } })
  assert.deepEqual(heard(), ['n1', 'n2'])
  pods.delete({ namespace: 'ns', name: 'a' })
  assert.deepEqual(heard(), ['n2'])
})

test('each: a mapping may return several targets', () => {
  const pods = new FakeInformer(Pod).sync()
  const { heard } = listen(each(pods, () => new Set([{ name: 'x' }, { namespace: 'ns', name: 'y' }])))
  pods.write(pod('a'))
  assert.deepEqual(heard(), ['x', 'ns/y'])
})

test('each: a resync wakes for everything, ignores predicates, and continues when a mapping fails', () => {
  const pods = new FakeInformer(Pod, [pod('a'), pod('bad'), pod('c')]).sync()
  const heard: string[] = []
  const wake = each(
    pods,
    ({ metadata }) => {
      if (metadata.name === 'bad') throw new Error('cannot map')
      return { name: metadata.name }
    },
    { when: () => false },
  )
  assert.throws(
    () => wake.resync((ref, urgency) => heard.push(`${keyOf(ref)} ${urgency}`)),
    (error: Error) =>
      error.message === '1 objects could not be mapped' && (error.cause as Error).message === 'cannot map',
  )
  assert.deepEqual(heard, ['a resync', 'c resync'])
})

test('each: knows the target kind only without a mapping', () => {
  const pods = new FakeInformer(Pod)
  assert.equal(each(pods).target, Pod)
  assert.equal(each(pods, byController(Job)).target, undefined)
})

const owners = [
  { apiVersion: 'batch/v1', kind: 'Job', name: 'plain', uid: '1' },
  { apiVersion: 'batch/v1beta1', kind: 'Job', name: 'manager', uid: '2', controller: true },
  { apiVersion: 'other/v1', kind: 'Job', name: 'stranger', uid: '3' },
  { apiVersion: 'a/b/c', kind: 'Job', name: 'broken', uid: '4' },
  { apiVersion: 'v1', kind: 'Node', name: 'node', uid: '5' },
]

test('byOwner: maps to owners of a kind, in any version and a valid namespace', () => {
  const pods = new FakeInformer(Pod)
  const owned = pods.write(pod('a', { ownerReferences: owners }))
  assert.deepEqual(byController(Job)(owned), { namespace: 'ns', name: 'manager' })
  assert.equal(byController(Node)(owned), undefined)
  assert.deepEqual(byOwner(Job)(owned), [
    { namespace: 'ns', name: 'plain' },
    { namespace: 'ns', name: 'manager' },
  ])
  assert.deepEqual(byOwner(Node)(owned), [{ name: 'node' }])
  const free = pods.write(pod('b'))
  assert.equal(byController(Job)(free), undefined)
  assert.deepEqual(byOwner(Job)(free), [])
})

const changes: Record<string, Partial<Pod['metadata']>> = {
  nothing: {},
  generation: { generation: 2 },
  deletion: { deletionTimestamp: '2030-01-01T00:00:00Z' },
  labels: { labels: { a: 'c' } },
  'a label for another': { labels: { b: 'b' } },
  annotations: { annotations: { toString: 'x' } },
  finalizers: { finalizers: ['two', 'one'] },
}
const before = { generation: 1, labels: { a: 'b' }, annotations: { x: 'x' }, finalizers: ['one', 'two'] }

const predicates = [
  ['generationChanged', generationChanged, ['generation', 'deletion']],
  ['labelsChanged', labelsChanged, ['labels', 'a label for another']],
  ['annotationsChanged', annotationsChanged, ['annotations']],
  ['finalizersChanged', finalizersChanged, ['finalizers']],
  ['anyOf', anyOf(generationChanged, finalizersChanged), ['generation', 'deletion', 'finalizers']],
] as const

for (const [name, predicate, expected] of predicates) {
  test(`${name}: passes the changes it names, and creations and deletions`, () => {
    const passed = Object.keys(changes).filter((change) => {
      const pods = new FakeInformer(Pod).sync()
      const { heard } = listen(each(pods, undefined, { when: predicate }))
      pods.write(pod('a', before))
      pods.write(pod('a', { ...before, ...changes[change] }))
      pods.delete({ namespace: 'ns', name: 'a' })
      return heard().length === 3
    })
    assert.deepEqual(passed, expected)
  })
}

test('conditionChanged: passes changed statuses of its conditions, and creations and deletions', () => {
  const predicate = conditionChanged('Ready', 'Initialized')
  const condition = (type: string, status: 'True' | 'False', message = '') => ({
    status: { conditions: [{ type, status, message, reason: 'R', lastTransitionTime: '2030-01-01T00:00:00Z' }] },
  })
  const passes = (before: ReturnType<typeof condition> | object, after: ReturnType<typeof condition>) =>
    predicate({ type: 'updated', before, after, initial: false })
  assert.equal(passes({}, condition('Ready', 'False')), true, 'one that was not there')
  assert.equal(passes(condition('Ready', 'False'), condition('Ready', 'False', 'still')), false)
  assert.equal(passes(condition('Ready', 'False'), condition('Ready', 'True')), true)
  assert.equal(passes(condition('Initialized', 'True'), condition('Other', 'True')), true, 'one that went')
  assert.equal(passes(condition('Other', 'True'), condition('Other', 'False')), false)
  assert.equal(predicate({ type: 'added', before: undefined, after: {}, initial: false }), true)
  assert.equal(predicate({ type: 'deleted', before: {}, after: undefined, initial: false }), true)
})
