import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import { ANY, fieldSchema, shapeOf } from './shape.js'

test('shapeOf: owns raw data of a built-in kind as a whole and data without a schema by field', () => {
  const revision = kindSchema('apps', 'v1', 'ControllerRevision') as StructSchema
  assert.equal(shapeOf({ a: 1 }, fieldSchema(revision, 'data')), 'whole')
  assert.equal(shapeOf({ a: 1 }, ANY), 'fields')
})
