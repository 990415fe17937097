import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { cloneJson } from '@orrery/kinds/values'
import fc from 'fast-check'
import { dropNulls, fillDefaults } from './defaulting.js'
import type { JsonSchema } from './json-schema.js'
import { pruneUnknown } from './prune.js'
import { schemaTree } from './schema-tree.js'

function pruned(object: JsonObject, schema: JsonSchema): { object: JsonObject; paths: string[] } {
  const paths = pruneUnknown(object, schemaTree(schema), true)
  return { object, paths }
}

test('pruneUnknown: removes undeclared fields, and returns their paths in order', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
  }
  const result = pruned(
    { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, zz: 1, spec: { a: '1', b: { c: 2 } }, extra: [] },
    schema,
  )
  assert.deepEqual(result.object, { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec: { a: '1' } })
  assert.deepEqual(result.paths, ['extra', 'spec.b', 'zz'])
})

test('pruneUnknown: prunes items and map values, with their paths', () => {
  const item: JsonSchema = { type: 'object', properties: { a: { type: 'integer' } } }
  const schema: JsonSchema = {
    type: 'object',
    properties: { list: { type: 'array', items: item }, map: { type: 'object', additionalProperties: item } },
  }
  const result = pruned({ list: [{ a: 1, b: 2 }, { c: 3 }], map: { k: { a: 1, b: 1 } } }, schema)
  assert.deepEqual(result.object, { list: [{ a: 1 }, {}], map: { k: { a: 1 } } })
  assert.deepEqual(result.paths, ['list[0].b', 'list[1].c', 'map.k.b'])
})

test('pruneUnknown: preserve-unknown-fields keeps unknown fields and prunes inside known ones', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'object', properties: { a: { type: 'string' } } } },
      },
    },
  }
  const result = pruned({ spec: { any: { b: 1 }, known: { a: 'x', b: 2 } } }, schema)
  assert.deepEqual(result.object, { spec: { any: { b: 1 }, known: { a: 'x' } } })
  assert.deepEqual(result.paths, ['spec.known.b'])
})

test('pruneUnknown: embedded resources keep their type and metadata', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { spec: { type: 'object' } },
      },
    },
  }
  const template = { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 'b' } }, spec: { x: 1 }, status: {} }
  const result = pruned({ template }, schema)
  assert.deepEqual(result.object, {
    template: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { a: 'b' } }, spec: {} },
  })
  assert.deepEqual(result.paths, ['template.spec.x', 'template.status'])
})

test('pruneUnknown: additional properties without a schema keep scalars and lose the content of objects', () => {
  const schema: JsonSchema = { type: 'object', properties: { m: { type: 'object', additionalProperties: true } } }
  assert.deepEqual(pruned({ m: { a: 1, b: { c: 2 } } }, schema).object, { m: { a: 1, b: {} } })
})

test('pruneUnknown: treats names of the prototype as data', () => {
  const schema: JsonSchema = { type: 'object', properties: { spec: { type: 'object' } } }
  const result = pruned(JSON.parse('{"constructor":1,"toString":{"a":1},"spec":{"__proto__":{"x":1}}}'), schema)
  assert.deepEqual(result.paths, ['constructor', 'spec.__proto__', 'toString'])
  assert.deepEqual(Object.keys(result.object), ['spec'])
})

test('fillDefaults: fills absent fields at any depth, and nulls that are not allowed', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        default: {},
        properties: {
          replicas: { type: 'integer', default: 3 },
          mode: { type: 'string', nullable: true, default: 'auto' },
          plain: { type: 'string' },
          list: { type: 'array', items: { type: 'object', properties: { port: { type: 'integer', default: 80 } } } },
          map: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
        },
      },
    },
  }
  const node = schemaTree(schema)
  const object: JsonObject = {
    spec: { replicas: null, mode: null, plain: null, list: [{}, { port: 1 }], map: { a: null, b: 'c' } },
  }
  dropNulls(object, node)
  fillDefaults(object, node)
  assert.deepEqual(object, {
    spec: { replicas: 3, mode: null, list: [{ port: 80 }, { port: 1 }], map: { a: 'x', b: 'c' } },
  })
  const empty: JsonObject = {}
  fillDefaults(empty, node)
  assert.deepEqual(empty, { spec: { replicas: 3, mode: 'auto' } })
})

test('fillDefaults: copies defaults', () => {
  const schema: JsonSchema = { type: 'object', properties: { a: { type: 'object', default: { b: [] } } } }
  const node = schemaTree(schema)
  const first: JsonObject = {}
  const second: JsonObject = {}
  fillDefaults(first, node)
  fillDefaults(second, node)
  ;((first.a as JsonObject).b as JsonValue[]).push(1)
  assert.deepEqual(second, { a: { b: [] } })
})

test('pruneUnknown: walks a very deep object', () => {
  let deep: JsonObject = {}
  for (let depth = 0; depth < 1000; depth++) deep = { a: deep, b: 1 }
  let schema: JsonSchema = { type: 'object' }
  for (let depth = 0; depth < 1000; depth++) schema = { type: 'object', properties: { a: schema } }
  const node = schemaTree(schema)
  assert.equal(pruneUnknown(deep, node, true).length, 1000)
  fillDefaults(deep, node)
  dropNulls(deep, node)
})

const names = fc.constantFrom('a', 'b', 'c', 'd')

const structural: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record({ type: fc.constant('string') }),
    fc.record({ type: fc.constant('integer'), default: fc.constantFrom(undefined, 7) }) as fc.Arbitrary<JsonSchema>,
    fc
      .tuple(fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }), fc.boolean(), fc.boolean())
      .map(([properties, preserve, withDefault]) => ({
        type: 'object',
        properties,
        ...(preserve && { 'x-kubernetes-preserve-unknown-fields': true }),
        ...(withDefault && { default: {} }),
      })),
    tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
    tie('schema').map((items) => ({ type: 'array', items })),
  ),
})).schema

const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>('x', 1, true, null),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value

const objects = fc.dictionary(names, values, { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonObject>

test('pruneUnknown, fillDefaults: are idempotent', () => {
  fc.assert(
    fc.property(structural, objects, (schema, object) => {
      const node = schemaTree({ type: 'object', properties: { a: schema } })
      pruneUnknown(object, node, true)
      const once = cloneJson(object)
      assert.deepEqual(pruneUnknown(object, node, true), [])
      assert.deepEqual(object, once)
      dropNulls(object, node)
      fillDefaults(object, node)
      const defaulted = cloneJson(object)
      fillDefaults(object, node)
      assert.deepEqual(object, defaulted)
    }),
  )
})

test('pruneUnknown, fillDefaults: their order does not matter with pruned defaults', () => {
  fc.assert(
    fc.property(structural, objects, (schema, object) => {
      const node = schemaTree({ type: 'object', properties: { a: schema } })
      const other = cloneJson(object)
      pruneUnknown(object, node, true)
      fillDefaults(object, node)
      fillDefaults(other, node)
      pruneUnknown(other, node, true)
      assert.deepEqual(object, other)
    }),
  )
})

test('pruneUnknown: reports many unknown fields below a long key by few and short paths', () => {
  const node = schemaTree({ type: 'object', additionalProperties: { type: 'object', properties: {} } })
  const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1]))
  const object = { [`k${'x'.repeat(1_000_000)}`]: unknown }
  const paths = pruneUnknown(object, node, false)
  assert.equal(paths.length, 1000)
  assert.ok(paths.every((path) => path.length < 5000))
  assert.deepEqual(Object.values(object), [{}])
})

test('fillDefaults: rejects defaults beyond the limit', () => {
  const node = schemaTree({
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string', default: 'x'.repeat(10_000) } } },
  })
  const items = (length: number) => Array.from({ length }, () => ({}))
  assert.throws(() => fillDefaults(items(1_000_000), node, 8_000_000), /the defaults of the object are too many/)
  const few = items(500)
  fillDefaults(few, node, 8_000_000)
  assert.ok(few.every((item) => Object.hasOwn(item, 'a')))
})
