import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compile } from './compile.js'
import { escapeProperty } from './escape.js'
import { celTypeOf, type JsonSchema, maxCardinality } from './schema-type.js'
import { outcome } from './testing.fixture.js'
import type { CelType } from './type.js'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    ratio: { type: 'number' },
    name: { type: 'string', maxLength: 10 },
    names: { type: 'array', items: { type: 'string' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: { type: 'object', properties: { port: { type: 'integer' }, name: { type: 'string' } } },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    nested: {
      type: 'object',
      properties: {
        namespace: { type: 'string' },
        'a-b': { type: 'string' },
        maybe: { type: 'string', nullable: true },
      },
    },
    at: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    wait: { type: 'string', format: 'duration' },
    data: { type: 'string', format: 'byte' },
    port: { 'x-kubernetes-int-or-string': true },
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true },
    unknown: {},
  },
}

const self = {
  kind: 'Thing',
  metadata: { name: 'one' },
  replicas: 2,
  ratio: 2,
  name: 'x',
  names: ['a', 'b'],
  set: ['a', 'b'],
  ports: [
    { port: 1, name: 'p' },
    { port: 2, name: 'q' },
  ],
  labels: { k: 'v' },
  nested: { namespace: 'ns', 'a-b': 'dash', maybe: null },
  at: '2020-01-01T00:00:00Z',
  day: '2020-01-02',
  wait: '1h',
  data: 'aGk=',
  port: '50%',
  pod: { kind: 'Pod', metadata: { name: 'p' } },
  unknown: 1,
}

const type = celTypeOf(schema, true) as CelType

function check(source: string, object: unknown = self): unknown {
  return outcome(source, { variables: { self: type }, bindings: { self: object } })
}

test('celTypeOf: interprets data by the schema', () => {
  const rules = [
    'self.replicas + 1 == 3',
    'self.ratio / 4.0 == 0.5',
    'type(self.ratio) == double && type(self.replicas) == int',
    'self.names == ["a", "b"] && self.names != ["b", "a"]',
    'self.set == ["b", "a"]',
    'self.set + ["a", "c"] == ["a", "b", "c"]',
    'self.ports == self.ports.reverse()',
    '(self.ports + [self.ports[0]]).size() == 2',
    'self.labels.k == "v" && "k" in self.labels',
    'self.labels.all(k, v, k.size() == v.size())',
    'self.nested.__namespace__ == "ns" && self.nested.a__dash__b == "dash"',
    'self.nested.namespace == "ns" && has(self.nested.namespace)',
    '!has(self.nested.maybe)',
    'self.at + self.wait == timestamp("2020-01-01T01:00:00Z")',
    'self.day.getDate() == 2',
    'self.data == b"hi"',
    'type(self.port) == string ? self.port == "50%" : self.port > 1',
    'self.kind == "Thing" && self.metadata.name == "one"',
    'self.pod.metadata.name == "p"',
    'type(self) == map',
  ]
  for (const rule of rules) assert.equal(check(rule), true, rule)
})

test('celTypeOf: hides what the schema does not declare', () => {
  assert.equal(check('self.nope'), "undefined field 'nope'")
  assert.equal(check('self.unknown'), "undefined field 'unknown'")
  assert.equal(check('self.metadata.labels'), "undefined field 'labels'")
})

test('celTypeOf: data that does not fit the schema is an error', () => {
  assert.equal(check('self.replicas', { replicas: 'x' }), 'error: invalid data, expected int, got string')
  assert.equal(
    check('self.names[0]', { names: [null] }),
    'error: invalid data, got null for schema with nullable=false',
  )
  assert.equal(check('self.replicas', {}), 'error: no such key: replicas')
  assert.match(String(check('self.at', { at: 'x' })), /^error: Invalid date-time formatted string x: parsing time/)
})

test('celTypeOf: escapes property names', () => {
  const cases: [string, string | undefined][] = [
    ['name', 'name'],
    ['namespace', '__namespace__'],
    ['a.b', 'a__dot__b'],
    ['a-b/c', 'a__dash__b__slash__c'],
    ['__a', '__underscores__a'],
    ['1a', undefined],
    ['a b', undefined],
    ['', undefined],
    ['ä', undefined],
  ]
  for (const [name, escaped] of cases) assert.equal(escapeProperty(name), escaped, name)
})

test('escapeProperty: every escaped name selects its property', () => {
  const name = fc.stringMatching(/^[a-z_./-]{1,8}$/)
  fc.assert(
    fc.property(name, (property) => {
      const object = celTypeOf({ type: 'object', properties: { [property]: { type: 'integer' } } }) as CelType
      const compiled = compile(`self.${escapeProperty(property)}`, { variables: { self: object } })
      assert.ok(compiled.ok)
      assert.equal(compiled.program.evaluate({ self: { [property]: 7 } }).value, 7)
    }),
  )
})

test('maxCardinality: follows from the smallest data that a rule needs', () => {
  assert.equal(maxCardinality(celTypeOf({ type: 'string' }) as CelType), Math.floor((3 * 1024 * 1024) / 3))
})
