import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { encodeDocument } from './gnostic.js'

type Wire = Map<number, (number | Buffer)[]>

/** Decodes the fields of one protobuf message. */
function decode(bytes: Buffer): Wire {
  const fields: Wire = new Map()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? assert.fail('truncated')
      value += (byte & 127) * shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const header = varint()
    const field = Math.floor(header / 8)
    const values = fields.get(field) ?? []
    fields.set(field, values)
    if (header % 8 === 0) values.push(varint())
    else {
      const isDouble = header % 8 === 1
      const length = isDouble ? 8 : varint()
      const payload = bytes.subarray(at, at + length)
      values.push(isDouble ? payload.readDoubleLE() : payload)
      at += length
    }
  }
  return fields
}

/** Follows field numbers through nested messages, always to the first value. */
function at(bytes: Buffer, ...path: readonly number[]): number | Buffer | undefined {
  let value: number | Buffer | undefined = bytes
  for (const field of path) value = value instanceof Buffer ? decode(value).get(field)?.[0] : undefined
  return value
}

const textAt = (bytes: Buffer, ...path: readonly number[]): string | undefined => at(bytes, ...path)?.toString()

const definition = (schema: JsonObject): Buffer => {
  const document = encodeDocument({ swagger: '2.0', definitions: { Thing: schema } })
  assert.equal(textAt(document, 9, 1, 1), 'Thing')
  const found = at(document, 9, 1, 2)
  return found instanceof Buffer ? found : assert.fail('no schema')
}

test('encodeDocument: encodes version and info', () => {
  const document = encodeDocument({ swagger: '2.0', info: { title: 'Kubernetes', version: 'v1' } })
  assert.equal(textAt(document, 1), '2.0')
  assert.equal(textAt(document, 2, 1), 'Kubernetes')
  assert.equal(textAt(document, 2, 2), 'v1')
})

test('encodeDocument: encodes types, properties, required fields and limits of a schema', () => {
  const schema = definition({
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'array', items: { $ref: '#/definitions/Thing' } }, b: { type: 'integer' } },
    additionalProperties: { type: 'string' },
    maximum: 1.5,
    maxLength: 300,
  })
  assert.equal(textAt(schema, 22, 1), 'object')
  assert.deepEqual(decode(schema).get(19)?.map(String), ['a', 'b'])
  assert.equal(textAt(schema, 25, 1, 1), 'a')
  assert.equal(textAt(schema, 25, 1, 2, 23, 1, 1), '#/definitions/Thing')
  assert.equal(textAt(schema, 21, 1, 22, 1), 'string')
  assert.equal(at(schema, 7), 1.5)
  assert.equal(at(schema, 11), 300)
})

test('encodeDocument: encodes extensions, defaults and enums as YAML', () => {
  const schema = definition({ default: { a: 1 }, enum: ['x'], 'x-kubernetes-list-map-keys': ['name'] })
  assert.equal(textAt(schema, 5, 2), 'a: 1\n')
  assert.equal(textAt(schema, 20, 2), 'x\n')
  assert.equal(textAt(schema, 31, 1), 'x-kubernetes-list-map-keys')
  assert.equal(textAt(schema, 31, 2, 2), '- name\n')
})

test('encodeDocument: encodes selectable fields as a list of mappings', () => {
  const fields = [{ fieldPath: 'spec.color' }, { fieldPath: 'spec.size' }]
  const schema = definition({ 'x-kubernetes-selectable-fields': fields })
  assert.equal(textAt(schema, 31, 2, 2), '- fieldPath: spec.color\n- fieldPath: spec.size\n')
})

test('encodeDocument: encodes parameters by their location', () => {
  const parameters = [
    { name: 'body', in: 'body', required: true, schema: { type: 'object' } },
    { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
    { name: 'name', in: 'path', type: 'string', required: true },
    { $ref: '#/parameters/pretty' },
  ]
  const responses = { 200: { description: 'OK', schema: { type: 'string' } } }
  const patch = { operationId: 'patchThing', parameters, responses, 'x-kubernetes-action': 'patch' }
  const document = encodeDocument({ paths: { '/things': { patch } } })
  assert.equal(textAt(document, 8, 2, 1), '/things')
  const operation = at(document, 8, 2, 2, 8) as Buffer
  assert.equal(textAt(operation, 5), 'patchThing')
  const [body, query, path, reference] = (decode(operation).get(8) ?? []) as Buffer[]
  assert.equal(textAt(body ?? assert.fail(), 1, 1, 2), 'body')
  assert.equal(textAt(query ?? assert.fail(), 1, 2, 3, 4), 'dryRun')
  assert.equal(textAt(path ?? assert.fail(), 1, 2, 4, 4), 'name')
  assert.equal(textAt(reference ?? assert.fail(), 2, 1), '#/parameters/pretty')
  assert.equal(textAt(operation, 9, 1, 1), '200')
  assert.equal(textAt(operation, 9, 1, 2, 1, 2, 1, 22, 1), 'string')
  assert.equal(textAt(operation, 13, 2, 2), 'patch\n')
})

test('encodeDocument: omits unknown properties and handles large documents', () => {
  assert.equal(definition({ oneOf: [{}], nullable: true, maxLength: -1, pattern: 7 }).length, 0)
  const long = 'é'.repeat(2_000_000)
  assert.equal(textAt(definition({ description: long }), 4), long)
})
