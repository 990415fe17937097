import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from '@orrery/cel/schema'
import type { JsonObject } from '@orrery/kinds'
import { openapiV2Of, openapiV3Of } from './openapi.js'
import { widgets } from './test-crd.fixture.js'

function specOf(published: { schema: JsonObject }, field: string): JsonObject {
  const { spec } = published.schema.properties as { spec: { properties: Record<string, JsonObject> } }
  return spec.properties[field] as JsonObject
}

function both(field: JsonSchema): [JsonObject, JsonObject] {
  const crd = widgets({ type: 'object', required: ['f'], properties: { f: field } })
  return [specOf(openapiV3Of(crd, 'v1'), 'f'), specOf(openapiV2Of(crd, 'v1'), 'f')]
}

test('openapiV3Of: names definitions by group, version and kind', () => {
  const crd = widgets({ type: 'object' }, { selectableFields: [{ jsonPath: '.spec.color' }] })
  const published = openapiV3Of(crd, 'v1')
  assert.equal(published.name, 'com.example.v1.Widget')
  assert.equal(published.listName, 'com.example.v1.WidgetList')
  assert.deepEqual(published.schema['x-kubernetes-group-version-kind'], [
    { group: 'example.com', version: 'v1', kind: 'Widget' },
  ])
  assert.deepEqual(published.schema['x-kubernetes-selectable-fields'], [{ fieldPath: 'spec.color' }])
  assert.deepEqual(published.listSchema['x-kubernetes-selectable-fields'], [{ fieldPath: 'spec.color' }])
  const items = (published.listSchema.properties as Record<string, JsonObject>).items
  assert.deepEqual(items?.items, { $ref: '#/components/schemas/com.example.v1.Widget' })
})

test('openapiV3Of: adds type and metadata to every resource', () => {
  const crd = widgets()
  const v3 = openapiV3Of(crd, 'v1').schema.properties as Record<string, JsonObject>
  const v2 = openapiV2Of(crd, 'v1').schema.properties as Record<string, JsonObject>
  const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
  assert.deepEqual(v3.metadata?.allOf, [{ $ref: `#/components/schemas/${name}` }])
  assert.equal(v2.metadata?.$ref, `#/definitions/${name}`)
  assert.equal(v3.kind?.type, 'string')
  assert.equal(v2.apiVersion?.type, 'string')
})

test('openapiV3Of, openapiV2Of: write int-or-string out in v3 and without a type in v2', () => {
  const union = [{ type: 'integer' }, { type: 'string' }]
  const [v3, v2] = both({ 'x-kubernetes-int-or-string': true })
  assert.deepEqual(v3, { 'x-kubernetes-int-or-string': true, anyOf: union })
  assert.deepEqual(v2, { 'x-kubernetes-int-or-string': true })
  assert.deepEqual(both({ 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: 'a' }] })[0], {
    'x-kubernetes-int-or-string': true,
    allOf: [{ anyOf: union }],
    anyOf: [{ pattern: 'a' }],
  })
})

test('openapiV2Of: contains only what Swagger 2.0 supports', () => {
  assert.deepEqual(both({ type: 'object', nullable: true, properties: { a: { type: 'string' } } })[1], {})
  assert.deepEqual(both({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })[1], {
    'x-kubernetes-preserve-unknown-fields': true,
  })
  assert.deepEqual(both({ type: 'string', default: 'a', oneOf: [{ minLength: 1 }], not: { maxLength: 1 } })[1], {
    type: 'string',
  })
  const crd = widgets({
    type: 'object',
    required: ['f', 'g'],
    properties: { f: { type: 'string', nullable: true }, g: { type: 'string' } },
  })
  const spec = (openapiV2Of(crd, 'v1').schema.properties as Record<string, JsonObject>).spec
  assert.deepEqual(spec?.required, ['g'])
})

test('openapiV2Of: publishes a schema that preserves unknown fields as any object', () => {
  const crd = widgets({ type: 'object' })
  crd.spec.versions[0]!.schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const { 'x-kubernetes-group-version-kind': _gvk, ...v2 } = openapiV2Of(crd, 'v1').schema
  assert.deepEqual(v2, { type: 'object' })
})

test('openapiV3Of: completes embedded resources', () => {
  const [v3, v2] = both({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  })
  assert.deepEqual(v3.required, ['kind', 'apiVersion'])
  assert.deepEqual(Object.keys(v3.properties as JsonObject), ['apiVersion', 'kind', 'metadata'])
  assert.equal(v2.properties, undefined)
})

test('openapiV3Of: does not modify the definition', () => {
  const crd = widgets({ type: 'object', properties: { a: { 'x-kubernetes-int-or-string': true } } })
  const before = structuredClone(crd)
  openapiV3Of(crd, 'v1')
  openapiV2Of(crd, 'v1')
  assert.deepEqual(crd, before)
})
