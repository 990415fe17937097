import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema, ValidationRule } from '@orrery/cel/schema'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { formatFieldError } from '@orrery/kinds/values'
import { compileVersion } from './compile.js'
import { widgets } from './test-crd.fixture.js'
import type { CrdVersion } from './types.js'

function compiled(spec: JsonSchema, version: Partial<CrdVersion> = {}) {
  return compileVersion(widgets(spec, version), 'v1')
}

function widget(spec: unknown, extra: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'n' }, spec, ...extra }
}

function lines(errors: readonly Parameters<typeof formatFieldError>[0][]): string[] {
  return errors.map(formatFieldError)
}

test('compileVersion: returns the resource of a version', () => {
  const { resource } = compiled(
    { type: 'object' },
    {
      subresources: { status: {}, scale: { specReplicasPath: '.spec.r', statusReplicasPath: '.status.r' } },
      selectableFields: [],
    },
  )
  assert.equal(resource.plural, 'widgets')
  assert.equal(resource.namespaced, true)
  assert.equal(resource.custom, true)
  assert.deepEqual(resource.storage, { bucket: 'widgets.example.com', version: 'v1' })
  assert.deepEqual([...resource.subresources.keys()], ['status', 'scale'])
  assert.deepEqual(resource.subresources.get('scale'), {
    name: 'scale',
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    verbs: ['get', 'patch', 'update'],
  })
  assert.deepEqual(
    resource.columns.map((column) => column.name),
    ['Age'],
  )
})

test('compileVersion: returns the schema for server-side apply', () => {
  const { schema } = compiled({
    type: 'object',
    properties: {
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string', default: 'x' } } },
      },
      free: { type: 'object', additionalProperties: { type: 'integer' } },
      any: { 'x-kubernetes-preserve-unknown-fields': true },
      atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } },
      either: { 'x-kubernetes-int-or-string': true },
    },
  })
  const spec = schema.fields.get('spec')?.schema
  assert.ok(spec?.type === 'struct')
  const field = (name: string) => spec.fields.get(name)?.schema
  assert.deepEqual(field('set'), { type: 'list', items: { type: 'string' }, topology: 'set', keys: [] })
  const map = field('map')
  assert.ok(map?.type === 'list' && map.items.type === 'struct')
  assert.deepEqual([map.topology, map.keys, map.items.fields.get('name')?.default], ['map', ['name'], 'x'])
  assert.deepEqual(field('free'), { type: 'map', values: { type: 'integer' }, atomic: false })
  assert.deepEqual(field('any'), { type: 'any' })
  assert.deepEqual(field('either'), { type: 'intOrString' })
  const atom = field('atom')
  assert.ok(atom?.type === 'struct' && atom.atomic)
  assert.ok(schema.fields.get('metadata')?.schema.type === 'struct')
})

test('prune: types metadata and reports all pruned fields', () => {
  const { prune } = compiled({ type: 'object', properties: { a: { type: 'string' } } })
  const object: JsonObject = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', foo: 1 },
    spec: { a: null, b: 1 },
  }
  assert.deepEqual(prune(object), ['metadata.foo', 'spec.b'])
  assert.deepEqual(object, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: {} })
})

test('compileVersion: returns the warning of a deprecated version with its replacement', () => {
  const crd = widgets({ type: 'object' }, { name: 'v1beta1', deprecated: true })
  crd.spec.versions.push({ name: 'v1', served: true, storage: false }, { name: 'v2', served: false, storage: false })
  assert.equal(
    compileVersion(crd, 'v1beta1').deprecationWarning,
    'example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget',
  )
  assert.equal(compileVersion(crd, 'v1').deprecationWarning, undefined)
})

test('validateStatus: validates only the status', () => {
  const { validateStatus } = compileVersion(
    widgets({ type: 'object', properties: { n: { type: 'integer', maximum: 3 } } }, { subresources: { status: {} } }),
    'v1',
  )
  assert.deepEqual(lines(validateStatus(widget({ n: 9 }, { status: 3 }), widget({ n: 9 }))), [
    'status: Invalid value: "integer":  in body must be of type object: "integer"',
  ])
})

function rulesOn(type: string, ...rules: ValidationRule[]) {
  const field: JsonSchema = { type, 'x-kubernetes-validations': rules }
  if (type === 'object') {
    field.properties = { min: { type: 'integer' }, max: { type: 'integer' } }
  }
  return compiled({ type: 'object', properties: { f: field } }).validate
}

test('validate: reports rules with message, field path and reason', () => {
  const validate = rulesOn(
    'object',
    { rule: 'self.min <= self.max', message: 'min above max', fieldPath: '.min', reason: 'FieldValueForbidden' },
    { rule: 'self.min >= 0', messageExpression: "'min is ' + string(self.min)" },
    { rule: 'self.max < 100' },
  )
  assert.deepEqual(lines(validate(widget({ f: { min: -2, max: 200 } }))), [
    'spec.f: Invalid value: min is -2',
    'spec.f: Invalid value: failed rule: self.max < 100',
  ])
  assert.deepEqual(lines(validate(widget({ f: { min: 5, max: 3 } }))), ['spec.f.min: Forbidden: min above max'])
  assert.deepEqual(lines(validate(widget({ f: { max: 3 } }))), [
    'spec.f: Invalid value: "object": no such key: min evaluating rule: min above max',
    'spec.f: Invalid value: "object": no such key: min evaluating rule: self.min >= 0',
  ])
})

test('validate: shows scalars in errors', () => {
  const validate = rulesOn('string', { rule: "self.startsWith('a')", message: 'must start with a' })
  assert.deepEqual(lines(validate(widget({ f: 'b' }))), ['spec.f: Invalid value: "b": must start with a'])
})

test('validate: skips transition rules without an old value', () => {
  const validate = rulesOn('string', { rule: 'self == oldSelf', message: 'immutable' })
  assert.deepEqual(validate(widget({ f: 'a' })), [])
  assert.deepEqual(validate(widget({ f: 'a' }), widget({})), [])
  assert.deepEqual(validate(widget({ f: 'a' }), widget({ f: 'a' })), [])
  assert.deepEqual(lines(validate(widget({ f: 'b' }), widget({ f: 'a' }))), ['spec.f: Invalid value: "b": immutable'])
})

test('validate: evaluates rules with optionalOldSelf without an old value', () => {
  const rule = "oldSelf.hasValue() ? self == oldSelf.value() : self == 'first'"
  const validate = rulesOn('string', { rule, optionalOldSelf: true, message: 'no' })
  assert.deepEqual(validate(widget({ f: 'first' })), [])
  assert.deepEqual(lines(validate(widget({ f: 'b' }))), ['spec.f: Invalid value: "b": no'])
  assert.deepEqual(validate(widget({ f: 'b' }), widget({ f: 'b' })), [])
})

test('validate: allows an unchanged value to keep violating a rule', () => {
  const validate = rulesOn('string', { rule: "self == 'ok'", message: 'not ok' })
  assert.deepEqual(validate(widget({ f: 'bad', g: 1 }), widget({ f: 'bad' })), [])
  assert.equal(validate(widget({ f: 'worse' }), widget({ f: 'bad' })).length, 1)
})

test('validate: correlates items of lists with type map by key', () => {
  const { validate } = compiled({
    type: 'object',
    properties: {
      ports: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            port: {
              type: 'integer',
              'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may only grow' }],
            },
          },
        },
      },
    },
  })
  const old = widget({
    ports: [
      { name: 'a', port: 5 },
      { name: 'b', port: 9 },
    ],
  })
  assert.deepEqual(
    validate(
      widget({
        ports: [
          { name: 'b', port: 9 },
          { name: 'a', port: 6 },
        ],
      }),
      old,
    ),
    [],
  )
  assert.deepEqual(
    lines(
      validate(
        widget({
          ports: [
            { name: 'b', port: 8 },
            { name: 'c', port: 1 },
          ],
        }),
        old,
      ),
    ),
    ['spec.ports[0].port: Invalid value: 8: may only grow'],
  )
})

test('validate: skips rules if the object does not match the schema', () => {
  const validate = rulesOn('integer', { rule: 'self > 3' })
  assert.deepEqual(lines(validate(widget({ f: 'x' }))), [
    'spec.f: Invalid value: "string": spec.f in body must be of type integer: "string"',
    '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ])
})

test('validate: lets rules read the name of the object', () => {
  const crd = widgets()
  const root = crd.spec.versions[0]!.schema!.openAPIV3Schema!
  root['x-kubernetes-validations'] = [{ rule: "self.metadata.name.startsWith('w')", message: 'bad name' }]
  const { validate } = compileVersion(crd, 'v1')
  assert.deepEqual(validate(widget({})), [])
  assert.deepEqual(lines(validate({ ...widget({}), metadata: { name: 'x' } })), ['<nil>: Invalid value: bad name'])
})

test('validate: stops rules at the cost limit', () => {
  const { validate } = compiled({
    type: 'object',
    properties: {
      list: {
        type: 'array',
        items: { type: 'integer' },
        'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))' }],
      },
    },
  })
  const [error, ...none] = lines(validate(widget({ list: Array.from({ length: 500 }, (_, index) => index) })))
  assert.deepEqual(none, [])
  assert.match(error!, /no further validation rules will be run due to call cost exceeds limit for rule/)
})

test('refuseManyItems: refuses an object with too many fields, whatever its metadata', () => {
  const { refuseManyItems } = compiled({ type: 'object', additionalProperties: { type: 'string' } })
  const entries = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, '']))
  const body = widget(entries) as unknown as JsonObject
  assert.throws(() => refuseManyItems(body), /the object has more than 150000 items/)
  refuseManyItems({ ...body, spec: { a: 'b' }, metadata: { managedFields: [{ fieldsV1: entries }] } })
})
