import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from '@orrery/cel/schema'
import { formatFieldError } from '@orrery/kinds/values'
import { structuralErrors } from './structural.js'

function errorsOf(properties: Record<string, JsonSchema>, root: JsonSchema = {}): string[] {
  return structuralErrors({ type: 'object', properties, ...root }, 'root').map(formatFieldError)
}

test('structuralErrors: requires a type for every field', () => {
  assert.deepEqual(structuralErrors({}, 'root').map(formatFieldError), [
    'root.type: Required value: must not be empty at the root',
  ])
  assert.deepEqual(errorsOf({ a: {}, b: { type: 'array', items: {} }, c: { type: 'array' } }), [
    'root.properties[a].type: Required value: must not be empty for specified object fields',
    'root.properties[b].items.type: Required value: must not be empty for specified array items',
    'root.properties[c].items: Required value: must be specified',
  ])
  assert.deepEqual(structuralErrors({ type: 'string' }, 'root').map(formatFieldError), [
    'root.type: Invalid value: "string": must be object at the root',
  ])
})

test('structuralErrors: requires no type for preserved unknown fields and int-or-string', () => {
  assert.deepEqual(
    errorsOf({
      a: { 'x-kubernetes-preserve-unknown-fields': true },
      b: { 'x-kubernetes-int-or-string': true },
      c: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      d: {
        'x-kubernetes-int-or-string': true,
        allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { maxLength: 3 }],
      },
    }),
    [],
  )
})

test('structuralErrors: refuses structural keywords in logical junctors', () => {
  const branch: JsonSchema = {
    type: 'string',
    description: 'x',
    default: 'a',
    nullable: true,
    additionalProperties: { type: 'string' },
    'x-kubernetes-list-type': 'set',
  }
  assert.deepEqual(errorsOf({ a: { type: 'string', oneOf: [branch] } }), [
    'root.properties[a].oneOf[0].additionalProperties: Forbidden: must be undefined to be structural',
    'root.properties[a].oneOf[0].default: Forbidden: must be undefined to be structural',
    'root.properties[a].oneOf[0].description: Forbidden: must be empty to be structural',
    'root.properties[a].oneOf[0].nullable: Forbidden: must be false to be structural',
    'root.properties[a].oneOf[0].type: Forbidden: must be empty to be structural',
    'root.properties[a].oneOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural',
  ])
})

test('completenessErrors: requires fields of junctors to be specified outside', () => {
  assert.deepEqual(errorsOf({}, { anyOf: [{ properties: { a: { minLength: 1 } } }, { items: {} }] }), [
    'root.items: Required value: because it is defined in root.anyOf[1].items',
    'root.properties[a]: Required value: because it is defined in root.anyOf[0].properties[a]',
  ])
})

test('structuralErrors: refuses to specify metadata', () => {
  const name: JsonSchema = { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } }
  assert.deepEqual(errorsOf({ metadata: { type: 'object' } }), [])
  assert.deepEqual(errorsOf({ metadata: name }), [])
  assert.deepEqual(errorsOf({ metadata: { type: 'object', properties: { labels: { type: 'object' } } } }), [
    'root.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
  ])
  assert.deepEqual(errorsOf({ metadata: { type: 'string' }, kind: { type: 'integer' } }), [
    'root.properties[kind].type: Invalid value: "integer": must be string',
    'root.properties[metadata].type: Invalid value: "string": must be object',
  ])
  assert.deepEqual(
    errorsOf({}, { not: { properties: { metadata: {} } } })[0],
    'root.not.properties[metadata]: Forbidden: must not be specified in a nested context',
  )
})

test('structuralErrors: refuses additionalProperties at the root and in embedded resources', () => {
  assert.deepEqual(
    structuralErrors({ type: 'object', additionalProperties: { type: 'string' } }, 'root').map(formatFieldError),
    ['root.additionalProperties: Forbidden: must not be used at the root'],
  )
  assert.deepEqual(
    errorsOf({
      a: { type: 'object', 'x-kubernetes-embedded-resource': true, additionalProperties: { type: 'string' } },
    }),
    [
      'root.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
      'root.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  )
  assert.deepEqual(
    errorsOf({ a: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } }),
    ['root.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true'],
  )
})

test('structuralErrors: requires patterns to be valid regular expressions', () => {
  assert.deepEqual(errorsOf({ a: { type: 'string', pattern: '(' } }), [
    'root.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
  ])
})
