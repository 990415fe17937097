import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import { conform } from '../schema/conform.js'
import { convert } from './index.js'

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

test('convert: renames the fields of an event for the requested group', () => {
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

test('convert: restores the same event after both conversions', () => {
  assert.deepEqual(convert(convert(full, 'events.k8s.io/v1'), 'v1'), full)
  const bare = coreEvent({})
  assert.deepEqual(convert(convert(bare, 'events.k8s.io/v1'), 'v1'), bare)
})

test('convert: applies the zero values of the requested group', () => {
  const bare = coreEvent({})
  assert.equal(bare.reportingComponent, '')
  const event = convert(bare, 'events.k8s.io/v1')
  assert.ok(!('reportingController' in event))
  assert.equal(event.eventTime, null)
})

test('convert: does not modify the original', () => {
  const before = JSON.stringify(full)
  convert(full, 'events.k8s.io/v1')
  assert.equal(JSON.stringify(full), before)
})

test('convert: returns an object of the right version unchanged and refuses unknown kinds', () => {
  assert.equal(convert(full, 'v1'), full)
  assert.throws(() => convert(full, 'apps/v1'), /cannot be converted/)
})

const autoscaler = (spec: JsonObject, status: JsonObject = {}): KubeObject => {
  const object = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec,
    status,
  }
  const schema = kindSchema('autoscaling', 'v2', 'HorizontalPodAutoscaler') as StructSchema
  return conform(object, schema).object as unknown as KubeObject
}

const scaled = { maxReplicas: 5, minReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd' } }
const cpu = (target: JsonObject): JsonObject => ({ type: 'Resource', resource: { name: 'cpu', target } })

test('convert: keeps an autoscaler with only a CPU metric equal in both versions', () => {
  const v2 = autoscaler({ ...scaled, metrics: [cpu({ type: 'Utilization', averageUtilization: 50 })] })
  const v1 = convert(structuredClone(v2), 'autoscaling/v1')
  assert.deepEqual(v1.spec, { ...scaled, targetCPUUtilizationPercentage: 50 })
  assert.deepEqual(v1.status, { currentReplicas: 0, desiredReplicas: 0 })
  assert.equal(v1.metadata.annotations, undefined)
  assert.deepEqual(convert(v1, 'autoscaling/v2').spec, v2.spec)
})

test('convert: restores autoscaler fields without a counterpart in v1', () => {
  const selector = { matchLabels: { a: 'b' } }
  const metrics: JsonObject[] = [
    {
      type: 'Pods',
      pods: { metric: { name: 'hits', selector }, target: { type: 'AverageValue', averageValue: '10' } },
    },
    {
      type: 'Object',
      object: {
        describedObject: { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' },
        metric: { name: 'rate' },
        target: { type: 'Value', value: '5' },
      },
    },
    { type: 'External', external: { metric: { name: 'queue', selector }, target: { type: 'Value', value: '1k' } } },
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 60 } },
    },
  ]
  const v2 = autoscaler(
    { ...scaled, metrics, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
    {
      currentReplicas: 2,
      desiredReplicas: 3,
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '1' } } },
      ],
      conditions: [{ type: 'AbleToScale', status: 'True', reason: 'Ready', message: 'ok' }],
    },
  )
  const v1 = convert(structuredClone(v2), 'autoscaling/v1')
  assert.equal((v1.status as JsonObject).currentCPUUtilizationPercentage, 40)
  assert.deepEqual(convert(v1, 'autoscaling/v2'), v2)
})

test('convert: sets 80 percent CPU for a v1 autoscaler without a target', () => {
  const v1 = { ...autoscaler(scaled), apiVersion: 'autoscaling/v1' }
  const { metrics } = convert(v1, 'autoscaling/v2').spec as JsonObject
  assert.deepEqual(metrics, [cpu({ type: 'Utilization', averageUtilization: 80 })])
})
