import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedbackJsonPath, FeedbackRule } from '@orrery/api'
import fc from 'fast-check'
import { objectOf } from '../testing.fixture.js'
import { readFeedback } from './feedback.js'
import { FeedbackBudget } from './feedback-budget.js'

const plain = { rawJson: false, maxJsonRawLength: 1024 }
const raw = { ...plain, rawJson: true }
const wellKnown: FeedbackRule[] = [{ type: 'WellKnownStatus' }]
const paths = (...jsonPaths: FeedbackJsonPath[]): FeedbackRule[] => [{ type: 'JSONPaths', jsonPaths }]

function valuesOf({ values }: ReturnType<typeof readFeedback>): Record<string, unknown> {
  return Object.fromEntries(
    values.map(({ name, fieldValue: { type, ...value } }) => [name, `${type} ${Object.values(value).join()}`]),
  )
}

test('readFeedback: reads the well-known statuses of a kind', () => {
  const replicas = { replicas: 3, readyReplicas: 2, availableReplicas: 1 }
  const deployment = objectOf('apps/v1', 'Deployment', { status: replicas })
  assert.deepEqual(valuesOf(readFeedback(deployment, wellKnown, plain)), {
    ReadyReplicas: 'Integer 2',
    Replicas: 'Integer 3',
    AvailableReplicas: 'Integer 1',
  })
  const daemonSet = objectOf('apps/v1', 'DaemonSet', {
    status: { numberReady: 1, desiredNumberScheduled: 2, numberAvailable: 0 },
  })
  assert.deepEqual(valuesOf(readFeedback(daemonSet, wellKnown, plain)), {
    NumberReady: 'Integer 1',
    DesiredNumberScheduled: 'Integer 2',
    NumberAvailable: 'Integer 0',
  })
  const job = objectOf('batch/v1', 'Job', {
    status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] },
  })
  assert.deepEqual(valuesOf(readFeedback(job, wellKnown, plain)), {
    JobComplete: 'String True',
    JobSucceeded: 'Integer 1',
  })
  const pod = objectOf('v1', 'Pod', { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } })
  assert.deepEqual(valuesOf(readFeedback(pod, wellKnown, plain)), {
    PodReady: 'String False',
    PodPhase: 'String Running',
  })
})

test('readFeedback: omits absent values without an error', () => {
  const { values, finding } = readFeedback(objectOf('v1', 'Pod'), wellKnown, plain)
  assert.deepEqual(values, [])
  assert.deepEqual(finding, { type: 'StatusFeedbackSynced', status: 'True', reason: 'StatusFeedbackSynced' })
})

test('readFeedback: has no well-known statuses for other kinds and versions', () => {
  for (const [apiVersion, kind, gvk] of [
    ['v1', 'ConfigMap', '/v1, Kind=ConfigMap'],
    ['apps/v1beta1', 'Deployment', 'apps/v1beta1, Kind=Deployment'],
  ] as const) {
    const { finding } = readFeedback(objectOf(apiVersion, kind), wellKnown, plain)
    assert.equal(finding.status, 'False')
    assert.equal(finding.reason, 'StatusFeedbackSyncFailed')
    const why = `cannot find the wellknown statuses for resource with gvk ${gvk}`
    assert.equal(finding.message, `Sync status feedback failed with error ${why}`)
  }
})

test('readFeedback: returns nothing without rules', () => {
  assert.equal(readFeedback(objectOf('v1', 'Pod'), [], plain).finding.reason, 'NoStatusFeedbackSynced')
})

test('readFeedback: reads strings, integers and booleans at any path', () => {
  const map = objectOf('v1', 'ConfigMap', { data: { 'a.b': 'text' }, immutable: true, status: { count: -4 } })
  const rules = paths(
    { name: 'text', path: '.data.a\\.b' },
    { name: 'yes', path: '.immutable' },
    { name: 'count', path: '.status.count', version: 'v1' },
    { name: 'name', path: '.metadata.name' },
    { name: 'nothing', path: '.status.missing' },
  )
  assert.deepEqual(valuesOf(readFeedback(map, rules, plain)), {
    text: 'String text',
    yes: 'Boolean true',
    count: 'Integer -4',
    name: 'String web',
  })
})

test('readFeedback: reports errors and still reads the other values', () => {
  const object = objectOf('apps/v1', 'Deployment', { status: { list: [1], deep: { a: 1 }, half: 0.5, ok: 'yes' } })
  const rules = paths(
    { name: 'old', path: '.status.ok', version: 'v1beta1' },
    { name: 'broken', path: '.status[' },
    { name: 'list', path: '.status.list' },
    { name: 'deep', path: '.status.deep' },
    { name: 'half', path: '.status.half' },
    { name: 'ok', path: '.status.ok' },
  )
  const feedback = readFeedback(object, rules, plain)
  assert.deepEqual(valuesOf(feedback), { ok: 'String yes' })
  const message = feedback.finding.message ?? ''
  assert.match(message, /^Sync status feedback failed with error \[.*\]$/)
  for (const part of [
    'version set in the path old is not matched for the related resource',
    'failed to parse json path .status[ of broken with error: ',
    'the type []interface {} of the value for list is not found',
    'the type map[string]interface {} of the value for deep is not found',
    'the type float64 of the value for half is not found',
  ]) {
    assert.ok(message.includes(part), `${part} is in ${message}`)
  }
})

test('readFeedback: reports objects, lists and fractions as JSON with RawFeedbackJsonString', () => {
  const object = objectOf('v1', 'Thing', {
    status: { deep: { b: '<x>', a: [1, null] }, half: 0.5, list: [{ v: 1 }, { v: 2 }] },
  })
  const rules = paths(
    { name: 'status', path: '.status.deep' },
    { name: 'half', path: '.status.half' },
    { name: 'all', path: '.status.list[*].v' },
    { name: 'one', path: '.status.list[0:1].v' },
  )
  assert.deepEqual(readFeedback(object, rules, raw).values, [
    { name: 'status', fieldValue: { type: 'JsonRaw', jsonRaw: '{"a":[1,null],"b":"\\u003cx\\u003e"}' } },
    { name: 'half', fieldValue: { type: 'JsonRaw', jsonRaw: '0.5' } },
    { name: 'all', fieldValue: { type: 'JsonRaw', jsonRaw: '[1,2]' } },
    { name: 'one', fieldValue: { type: 'Integer', integer: 1 } },
  ])
})

test('readFeedback: reads the first of several values without RawFeedbackJsonString', () => {
  const object = objectOf('v1', 'Thing', { status: { list: [{ v: 'a' }, { v: 'b' }] } })
  const feedback = readFeedback(object, paths({ name: 'v', path: '.status.list[*].v' }), plain)
  assert.deepEqual(valuesOf(feedback), { v: 'String a' })
})

test('readFeedback: reports an error for JSON that is too long', () => {
  const object = objectOf('v1', 'Thing', { status: { list: ['é'.repeat(510), 'a'] } })
  const rules = paths({ name: 'list', path: '.status.list' })
  assert.deepEqual(readFeedback(object, rules, { rawJson: true, maxJsonRawLength: 1028 }).values.length, 1)
  const { values, finding } = readFeedback(object, rules, raw)
  assert.deepEqual(values, [])
  const why = 'the length of returned json raw string for name list is larger than the maximum length 1024'
  assert.equal(finding.message, `Sync status feedback failed with error ${why}`)
})

test('readFeedback: omits a string that is too long with an error, and reads the rest', () => {
  const object = objectOf('v1', 'Thing', { status: { long: 'é'.repeat(16_385), most: 'é'.repeat(16_384), short: 'x' } })
  const rules = paths(...['long', 'most', 'short'].map((name) => ({ name, path: `.status.${name}` })))
  const { values, finding } = readFeedback(object, rules, plain)
  assert.deepEqual(
    values.map(({ name }) => name),
    ['most', 'short'],
  )
  const why = 'the length of returned string for name long is larger than the maximum length 32768'
  assert.equal(finding.message, `Sync status feedback failed with error ${why}`)
})

test('readFeedback: omits values beyond the limit, and still reads smaller ones', () => {
  const object = objectOf('v1', 'Thing', { status: { a: 'x'.repeat(500), b: 'x'.repeat(500), c: 7 } })
  const rules = paths(...['a', 'b', 'c'].map((name) => ({ name, path: `.status.${name}` })))
  const { values, finding } = readFeedback(object, rules, plain, new FeedbackBudget(800))
  assert.deepEqual(
    values.map(({ name }) => name),
    ['a', 'c'],
  )
  assert.match(finding.message ?? '', /no space for b: the feedback values of a work are limited to 262144 bytes/)
})

test('readFeedback: keeps the first of two values with one name', () => {
  const pod = objectOf('v1', 'Pod', { status: { phase: 'Running' } })
  const rules = [...wellKnown, ...paths({ name: 'PodPhase', path: '.metadata.name' })]
  const feedback = readFeedback(pod, rules, plain)
  assert.deepEqual(valuesOf(feedback), { PodPhase: 'String Running' })
  assert.match(feedback.finding.message ?? '', /more than one value is named PodPhase/)
})

test('readFeedback: ignores rules of unknown types', () => {
  const rules = [{ type: 'Tarot' }] as unknown as FeedbackRule[]
  assert.equal(readFeedback(objectOf('v1', 'Pod'), rules, plain).finding.status, 'True')
})

test('readFeedback: reports or rejects any object without throwing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, rawJson) => {
      const object = objectOf('v1', 'Thing', { status: { value } })
      const { values, finding } = readFeedback(object, paths({ name: 'v', path: '.status.value' }), {
        ...plain,
        rawJson,
      })
      const field = values[0]?.fieldValue
      if (field === undefined) {
        assert.ok(value === null || finding.status === 'False')
        return
      }
      const { type, ...rest } = field
      const [only] = Object.values(rest)
      if (type === 'JsonRaw') {
        assert.ok(rawJson && Buffer.byteLength(only as string) <= 1024)
        assert.deepEqual(JSON.parse(only as string), JSON.parse(JSON.stringify(value)))
      } else {
        assert.equal(only, value)
      }
    }),
  )
})
