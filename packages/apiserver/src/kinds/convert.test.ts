import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kube'
import { conform } from '../schema/conform.js'
import type { StructSchema } from '../schema/schema.js'
import { convert, kindSchema } from './index.js'

const coreEvent = (fields: JsonObject): KubeObject => {
  const object = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'ns' }, ...fields }
  return conform(object, kindSchema('', 'v1', 'Event') as StructSchema).object as unknown as KubeObject
}

const full = coreEvent({
  involvedObject: { kind: 'Pod', name: 'p' },
  message: 'pulled',
  reason: 'Pulled',
  source: { component: 'kubelet' },
  firstTimestamp: '2024-01-01T00:00:00Z',
  lastTimestamp: '2024-01-02T00:00:00Z',
  count: 3,
  type: 'Normal',
  eventTime: '2024-01-01T00:00:00.000001Z',
  series: { count: 2, lastObservedTime: '2024-01-01T00:00:00.000002Z' },
  action: 'Pull',
  related: { kind: 'Node', name: 'n' },
  reportingComponent: 'kubelet',
  reportingInstance: 'n',
})

test('an event shows its fields under the names of the group that is asked for', () => {
  const event = convert(full, 'events.k8s.io/v1')
  assert.equal(event.apiVersion, 'events.k8s.io/v1')
  assert.equal(event.note, 'pulled')
  assert.deepEqual(event.regarding, { kind: 'Pod', name: 'p' })
  assert.deepEqual(event.deprecatedSource, { component: 'kubelet' })
  assert.equal(event.deprecatedFirstTimestamp, '2024-01-01T00:00:00Z')
  assert.equal(event.deprecatedCount, 3)
  assert.equal(event.reportingController, 'kubelet')
  assert.equal(event.message, undefined)
})

test('converting there and back gives the same event', () => {
  assert.deepEqual(convert(convert(full, 'events.k8s.io/v1'), 'v1'), full)
  const bare = coreEvent({})
  assert.deepEqual(convert(convert(bare, 'events.k8s.io/v1'), 'v1'), bare)
})

test('zero values follow the rules of the group that is asked for', () => {
  const bare = coreEvent({})
  assert.equal(bare.reportingComponent, '')
  const event = convert(bare, 'events.k8s.io/v1')
  assert.ok(!('reportingController' in event))
  assert.equal(event.eventTime, null)
})

test('the original is left alone', () => {
  const before = JSON.stringify(full)
  convert(full, 'events.k8s.io/v1')
  assert.equal(JSON.stringify(full), before)
})

test('nothing is done when the version is right already, and nothing else is converted', () => {
  assert.equal(convert(full, 'v1'), full)
  assert.throws(() => convert(full, 'apps/v1'), /cannot be converted/)
})
