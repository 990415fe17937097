import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type New, type Read, t } from './index.js'

/** True when two types are the same to the letter. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

test('t.object: lists required fields and defaults', () => {
  const schema = t.object({
    name: t.string({ maxLength: 63 }),
    url: t.optional(t.string()),
    lease: t.defaulted(t.integer({ format: 'int32' }), 60),
    mode: t.defaulted(t.enum(['A', 'B']), 'A', { required: true }),
  })
  assert.deepEqual(schema.json, {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 63 },
      url: { type: 'string' },
      lease: { type: 'integer', format: 'int32', default: 60 },
      mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
    },
    required: ['name', 'mode'],
  })
  const read: Same<Read<typeof schema>, Readonly<{ name: string; lease: number; mode: 'A' | 'B'; url?: string }>> = true
  const written: Same<
    New<typeof schema>,
    Readonly<{ name: string; url?: string; lease?: number; mode?: 'A' | 'B' }>
  > = true
  assert.ok(read && written)
})

test('t.defaulted: makes nested fields optional for writers', () => {
  const item = t.object({ weight: t.defaulted(t.integer(), 1), key: t.string() })
  const schema = t.object({ items: t.optional(t.array(item)), byName: t.map(item), none: t.nullable(t.time()) })
  type Item = Readonly<{ weight: number; key: string }>
  type NewItem = Readonly<{ key: string; weight?: number }>
  const read: Same<
    Read<typeof schema>,
    Readonly<{ byName: Readonly<Record<string, Item>>; none: string | null; items?: readonly Item[] }>
  > = true
  const written: Same<
    New<typeof schema>,
    Readonly<{ byName: Readonly<Record<string, NewItem>>; none: string | null; items?: readonly NewItem[] }>
  > = true
  assert.ok(read && written)
  assert.deepEqual(schema.json.required, ['byName', 'none'])
  assert.deepEqual(schema.json.properties?.none, { type: 'string', format: 'date-time', nullable: true })
})

test('t.array, t.map: write list types, map types and rules as Kubernetes extensions', () => {
  const list = t.array(t.object({ name: t.string() }), { listType: 'map', listMapKeys: ['name'], minItems: 1 })
  assert.deepEqual(list.json, {
    type: 'array',
    minItems: 1,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  assert.deepEqual(t.map(t.boolean(), { mapType: 'atomic', maxProperties: 3 }).json, {
    type: 'object',
    maxProperties: 3,
    'x-kubernetes-map-type': 'atomic',
    additionalProperties: { type: 'boolean' },
  })
  const rules = [{ rule: 'self == oldSelf', message: 'stays as it is' }]
  assert.deepEqual(t.string({ rules }).json, { type: 'string', 'x-kubernetes-validations': rules })
})

test('t.intOrString, t.embedded, t.raw: write the Kubernetes extensions', () => {
  assert.deepEqual(t.intOrString({ pattern: '^[0-9]+%?$' }).json, {
    pattern: '^[0-9]+%?$',
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
  })
  assert.deepEqual(t.embedded().json, {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  })
  assert.deepEqual(t.raw().json, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
})

test('t.described: sets the description of a copy', () => {
  const effect = t.enum(['A'], { description: 'here' })
  assert.deepEqual(t.described(effect, 'there').json, { description: 'there', type: 'string', enum: ['A'] })
  assert.equal(effect.json.description, 'here')
})
