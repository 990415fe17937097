import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '@orrery/kinds'
import { resourcesOf } from './resources.js'

const node = (name: string, capacity: Record<string, string>, unschedulable = false): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: { unschedulable },
  status: { capacity, allocatable: capacity },
})

test('resourcesOf: sums capacity of all nodes, and allocatable of schedulable ones', () => {
  const nodes = [
    node('a', { cpu: '500m', memory: '1Gi' }),
    node('b', { cpu: '2', memory: '512Mi', pods: '110' }),
    node('c', { cpu: '1', gpu: '1' }, true),
  ]
  assert.deepEqual(resourcesOf(nodes), {
    capacity: { cpu: '3500m', gpu: '1', memory: '1536Mi', pods: '110' },
    allocatable: { cpu: '2500m', memory: '1536Mi', pods: '110' },
  })
  assert.deepEqual(resourcesOf([]), { capacity: {}, allocatable: {} })
})
