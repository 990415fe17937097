import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { formatFieldError } from '@orrery/kinds/values'
import { customScale } from './scale.js'

const mapping = customScale({
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
})

function widget(spec: unknown, status?: unknown): KubeObject {
  const metadata = { name: 'w', namespace: 'n', uid: 'u', resourceVersion: '1', labels: { a: 'b' }, generation: 3 }
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec, ...(status !== undefined && { status }) }
}

test('scaleOf: reads an object as a Scale', () => {
  const { scale, replicas } = mapping.read(widget({ replicas: 3 }, { replicas: 2, selector: 'a=b' }))
  assert.equal(replicas, 3)
  assert.deepEqual(scale, {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'w', namespace: 'n', uid: 'u', resourceVersion: '1' },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: 'a=b' },
  })
  assert.deepEqual(mapping.read(widget({})).scale.status, { replicas: 0 })
  assert.equal(mapping.read(widget({})).replicas, undefined)
})

test('scaleOf: writes a Scale to an object', () => {
  const object = widget({ other: 1 })
  mapping.write(object, 5)
  assert.deepEqual(object.spec, { other: 1, replicas: 5 })
  const bare = widget(undefined)
  delete bare.spec
  mapping.write(bare, 0)
  assert.deepEqual(bare.spec, { replicas: 0 })
  assert.throws(() => mapping.write(widget('x'), 1), {
    message: 'value cannot be set because .spec is not a map[string]interface{}',
  })
})

test('scaleOf: reports values of the wrong type or size with their path', () => {
  const errors = (object: KubeObject, part: 'all' | 'status' = 'all') =>
    mapping.validate(object as unknown as JsonObject, part).map(formatFieldError)
  assert.deepEqual(errors(widget({ replicas: -1 }, { replicas: 2 ** 31 })), [
    '.spec.replicas: Invalid value: -1: should be a non-negative integer',
    '.status.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647',
  ])
  assert.deepEqual(errors(widget({ replicas: 'x' }, { selector: { a: [1, null] } })), [
    '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64',
    '.status.selector: Invalid value: "": .status.selector accessor error: map[a:[1 <nil>]] is of the type map[string]interface {}, expected string',
  ])
  assert.deepEqual(errors(widget({ replicas: -1 }), 'status'), [])
  assert.deepEqual(errors(widget('x'), 'all'), [
    '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected map[string]interface{}',
  ])
})

test('scaleOf: treats brackets in a path as part of a name', () => {
  const bracketed = customScale({ specReplicasPath: '.spec.replicas[0]', statusReplicasPath: ".status.n['x']" })
  assert.deepEqual(bracketed.replicasPath, ['spec', 'replicas[0]'])
  const { scale, replicas } = bracketed.read(widget({ 'replicas[0]': 3, replicas: [7] }, { "n['x']": 2, n: { x: 9 } }))
  assert.deepEqual([replicas, scale.status.replicas], [3, 2])
  const object = widget({})
  bracketed.write(object, 4)
  assert.deepEqual(object.spec, { 'replicas[0]': 4 })
})
