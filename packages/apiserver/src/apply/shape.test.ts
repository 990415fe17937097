import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import { ANY, fieldSchema, shapeOf } from './shape.js'

test('raw data of a built-in kind is owned as a whole, data without a schema field by field', () => {
  const revision = kindSchema('apps', 'v1', 'ControllerRevision') as StructSchema
  assert.equal(shapeOf({ a: 1 }, fieldSchema(revision, 'data')), 'whole')
  assert.equal(shapeOf({ a: 1 }, ANY), 'fields')
})
