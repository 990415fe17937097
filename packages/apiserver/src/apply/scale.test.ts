import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ManagedFieldsEntry } from '@orrery/kinds'
import type { FieldSet } from './field-set.js'
import { makeEntry } from './managers.js'
import { parentManagedFields, type ReplicasPaths, scaleManagedFields } from './scale.js'
import { NOW, THEN } from './widget.fixture.js'

const paths: ReplicasPaths = new Map([['apps/v1', ['f:spec', 'f:replicas']]])
const REPLICAS: FieldSet = { 'f:spec': { 'f:replicas': {} } }
const OTHER: FieldSet = { 'f:spec': { 'f:paused': {} } }
const BOTH: FieldSet = { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }

function entry(
  manager: string,
  operation: 'Apply' | 'Update',
  fields: FieldSet,
  options: { apiVersion?: string; subresource?: string; time?: string } = {},
): ManagedFieldsEntry {
  const { apiVersion = 'apps/v1', subresource = '', time = THEN } = options
  return makeEntry({ manager, operation, apiVersion, subresource }, fields, time)
}

const inScale = { apiVersion: 'autoscaling/v1' }

describe('scaleManagedFields, parentManagedFields', () => {
  test('have the managers that own the replicas', () => {
    const parent = [entry('a', 'Apply', BOTH), entry('b', 'Update', OTHER), entry('c', 'Update', REPLICAS)]
    assert.deepEqual(scaleManagedFields(parent, paths), [
      entry('a', 'Apply', REPLICAS, inScale),
      entry('c', 'Update', REPLICAS, inScale),
    ])
  })

  test('omit a manager of a version without a path', () => {
    assert.deepEqual(scaleManagedFields([entry('a', 'Apply', BOTH, { apiVersion: 'apps/v9' })], paths), [])
  })

  test('keep the entry of a manager that still owns the replicas', () => {
    const parent = [entry('a', 'Apply', BOTH), entry('b', 'Update', REPLICAS)]
    assert.deepEqual(parentManagedFields(parent, scaleManagedFields(parent, paths), 'apps/v1', paths), parent)
  })

  test('remove the replicas from a manager that lost them', () => {
    const parent = [entry('a', 'Apply', BOTH), entry('b', 'Update', REPLICAS)]
    const scale = [entry('hpa', 'Update', REPLICAS, { ...inScale, subresource: 'scale', time: NOW })]
    assert.deepEqual(parentManagedFields(parent, scale, 'apps/v1', paths), [
      entry('a', 'Apply', OTHER),
      makeEntry(
        { manager: 'hpa', operation: 'Update', apiVersion: 'apps/v1', subresource: 'scale' },
        REPLICAS,
        undefined,
      ),
    ])
  })

  test('remove entries of unknown versions', () => {
    assert.deepEqual(
      parentManagedFields([entry('a', 'Apply', OTHER, { apiVersion: 'apps/v0' })], [], 'apps/v1', paths),
      [],
    )
  })
})
