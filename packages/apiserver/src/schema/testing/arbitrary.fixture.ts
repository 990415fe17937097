import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { Field, Schema, StructSchema } from '@orrery/kinds/tables'
import { formatMicroTime, formatTime } from '@orrery/kinds/values'
import fc from 'fast-check'

/** Objects of a struct as a client could send them, for property tests. Deep parts are rarer. */
export function arbitraryObject(schema: StructSchema, depth = 0): fc.Arbitrary<JsonObject> {
  const fields = [...schema.fields.values()].filter((field) => field.name !== 'kind' && field.name !== 'apiVersion')
  // A few fields at a time: whole pods take long to generate and add nothing.
  return fc
    .shuffledSubarray(fields, { maxLength: Math.min(fields.length, Math.max(1, 6 - depth)) })
    .chain((chosen) => fc.tuple(...chosen.map((field) => arbitraryField(field, depth))))
    .map((entries) => Object.fromEntries(entries))
}

function arbitraryField(field: Field, depth: number): fc.Arbitrary<[string, JsonValue]> {
  return fc
    .oneof({ weight: 9, arbitrary: arbitraryValue(field.schema, depth + 1) }, fc.constant(null))
    .map((value) => [field.name, value])
}

function arbitraryValue(schema: Schema, depth: number): fc.Arbitrary<JsonValue> {
  switch (schema.type) {
    case 'struct':
      return depth > 6 ? fc.constant({}) : arbitraryObject(schema, depth)
    case 'list':
      return depth > 6 ? fc.constant([]) : fc.array(arbitraryValue(schema.items, depth + 1), { maxLength: 2 })
    case 'map':
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), arbitraryValue(schema.values, depth + 1), {
        maxKeys: 2,
        noNullPrototype: true,
      })
    case 'any':
      return schema.choice === undefined
        ? arbitraryJson
        : arbitraryChoice(schema.choice.or, schema.choice.schema, depth)
    case 'boolean':
      return fc.boolean()
    case 'int32':
      return fc.integer()
    case 'int64':
    case 'integer':
      return fc.maxSafeInteger()
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'intOrString':
      return fc.oneof(fc.integer(), fc.string())
    case 'quantity':
      return fc.oneof(
        fc.constantFrom('1', '0.5', '1024Mi', '100m', '1e3', '0', '-1.5Gi', '12345678901234567890'),
        fc.integer(),
      )
    case 'time':
      return arbitraryDate.map(formatTime)
    case 'microTime':
      return arbitraryDate.map(formatMicroTime)
    case 'bytes':
      return fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    default:
      return fc.string({ unit: 'grapheme' })
  }
}

const arbitraryDate = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
})

const isInexact = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

/** Without integers that are not exact, which the server refuses. */
const arbitraryJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value, (_, one) => (isInexact(one) ? 0.5 : one))) as JsonValue)
  .filter((value) => !JSON.stringify(value).includes('__proto__'))

function arbitraryChoice(
  or: 'schemas' | 'boolean' | 'strings',
  schema: StructSchema,
  depth: number,
): fc.Arbitrary<JsonValue> {
  const inner = depth > 6 ? fc.constant({}) : arbitraryObject(schema, depth)
  if (or === 'boolean') return fc.oneof(fc.boolean(), inner)
  return fc.oneof(inner, fc.array(or === 'schemas' ? inner : fc.string(), { maxLength: 2 }))
}
