import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '@orrery/kinds/core'
import type { TemplateRecord, TemplateRequirements } from '../../wire/index.js'
import { incompatibilities } from './compatibility.js'

const node = (labels: Record<string, string>, cpu: string, memory: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels },
  status: { allocatable: { cpu, memory } },
})

const OFFER = {
  nodes: [node({ 'kubernetes.io/arch': 'amd64' }, '4', '8Gi'), node({ gpu: 'yes' }, '16', '64Gi')],
  storageClasses: ['standard'],
}
const SIZE = { cpu: '2', memory: '4Gi', storage: '10Gi' }

function problems(requirements: TemplateRequirements, size = SIZE): string[] {
  const template: TemplateRecord = { name: 't', image: { http: 'https://x' }, requirements }
  return incompatibilities(template, size, OFFER)
}

test('template compatibility: what fits has no problems', () => {
  assert.deepEqual(problems({}), [])
  const all = { min_cpu: '2', min_memory: '4Gi', min_storage: '10Gi', architecture: 'amd64', storage_class: 'standard' }
  assert.deepEqual(problems(all), [])
})

test('template compatibility: names all that is missing', () => {
  assert.deepEqual(problems({ min_cpu: '4', min_memory: '8Gi', min_storage: '1Ti', storage_class: 'fast' }), [
    'cpu 2 is less than the 4 that the template needs',
    'memory 4Gi is less than the 8Gi that the template needs',
    'storage 10Gi is less than the 1Ti that the template needs',
    'the cluster has no StorageClass "fast"',
  ])
  assert.deepEqual(problems({ architecture: 's390x', node_labels: { gpu: 'yes' } }), [
    'no node has the labels gpu=yes, kubernetes.io/arch=s390x',
  ])
})

test('template compatibility: a machine must fit on one node that it may run on', () => {
  assert.deepEqual(problems({}, { ...SIZE, cpu: '8' }), [])
  assert.deepEqual(problems({ architecture: 'amd64' }, { ...SIZE, cpu: '8' }), [
    'no node has room for 8 CPUs and 4Gi of memory',
  ])
})
