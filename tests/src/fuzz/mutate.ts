import type { Schema, StructSchema } from './internals.js'
import type { Random } from './random.js'

/** Values that have broken programs before, of every JSON type. */
const NASTY: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -0,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  '',
  ' ',
  '0',
  'NaN',
  '-Infinity',
  '\u0000',
  '\ud800',
  '\u{1f4a9}',
  '../../etc/passwd',
  'a'.repeat(300),
  '9'.repeat(50),
  '1e999999',
  '0x10',
  '2026-13-45T99:99:99Z',
  '0000-00-00T00:00:00Z',
  '10.0.0.0/99',
  '::ffff:1.2.3.4',
  '%s%n%00',
  '(a+)+$',
  '{{.}}',
  '__proto__',
  'constructor',
  'toString',
  [],
  {},
  [null],
  [[]],
  [{}, {}],
  { '': '' },
  { constructor: { prototype: 1 } },
  { toString: 1, valueOf: null, hasOwnProperty: 'x' },
  { length: 5, 0: 'a' },
  { toJSON: 'x' },
]

/** One of them, as a copy. */
export function nasty(random: Random): unknown {
  return structuredClone(random.pick(NASTY))
}

interface Place {
  readonly parent: Record<string, unknown> | unknown[]
  readonly key: string | number
  readonly schema: Schema | undefined
}

/** A copy of an object with one to three random changes. */
export function mutated(random: Random, object: unknown, schema: Schema | undefined): unknown {
  const root = { object: structuredClone(object) }
  for (let change = random.below(3); change >= 0; change--) {
    const places: Place[] = [{ parent: root, key: 'object', schema }]
    collect(root.object, schema, places)
    disturb(random, places[Math.max(1, random.below(places.length)) % places.length] as Place)
  }
  return root.object
}

function collect(value: unknown, schema: Schema | undefined, places: Place[]): void {
  if (typeof value !== 'object' || value === null || places.length > 500) return
  for (const key of Object.keys(value)) {
    const child = childSchema(schema, key)
    places.push({ parent: value as Record<string, unknown>, key, schema: child })
    collect((value as Record<string, unknown>)[key], child, places)
  }
}

function childSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.type === 'struct') return schema.fields.get(key)?.schema
  if (schema?.type === 'map') return schema.values
  return schema?.type === 'list' ? schema.items : undefined
}

function disturb(random: Random, { parent, key, schema }: Place): void {
  const at = parent as Record<string | number, unknown>
  const value = at[key]
  switch (random.below(6)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else delete at[key]
      return
    case 1:
      if (schema?.type === 'struct' && schema.fields.size > 0) {
        const field = random.pick([...schema.fields.values()])
        if (isContainer(value)) (value as Record<string, unknown>)[field.name] = plausible(random, field.schema, 0)
        else at[key] = plausible(random, schema, 0)
        return
      }
      at[key] = schema === undefined ? nasty(random) : plausible(random, schema, 0)
      return
    case 2:
      if (Array.isArray(value)) value.push(...structuredClone(value), nasty(random))
      else at[key] = [value]
      return
    case 3:
      if (isContainer(value)) {
        const name = random.pick([
          '',
          'constructor',
          'toString',
          'hasOwnProperty',
          'valueOf',
          'a/b/c',
          '\u0000',
          '$patch',
        ])
        ;(value as Record<string, unknown>)[name] = nasty(random)
        return
      }
      at[key] = { [JSON.stringify(value) ?? '']: value }
      return
    default:
      at[key] = nasty(random)
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value of a type, often a valid one. */
function plausible(random: Random, schema: Schema, depth: number): unknown {
  if (random.chance(0.05)) return nasty(random)
  switch (schema.type) {
    case 'struct':
      return depth > 4 ? {} : plausibleStruct(random, schema, depth)
    case 'list':
      return depth > 5 ? [] : Array.from({ length: random.below(3) }, () => plausible(random, schema.items, depth + 1))
    case 'map':
      return { [random.pick(['a', 'cpu', 'example.test/x'])]: plausible(random, schema.values, depth + 1) }
    case 'boolean':
      return random.chance(0.5)
    case 'int32':
    case 'int64':
    case 'integer':
    case 'number':
      return random.pick([0, 1, 2, 80, 100, -1, 65_536])
    case 'intOrString':
      return random.pick([1, '50%', 'http', '', 0])
    case 'quantity':
      return random.pick(['1', '100m', '1Gi', 0, '-1', '1e3'])
    case 'time':
    case 'microTime':
      return random.pick(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456Z', '1970-01-01T00:00:00Z'])
    case 'duration':
      return random.pick(['1s', '0', '-5m', '1h2m'])
    case 'bytes':
      return random.pick(['', 'AAEC', 'aGk=', '!!'])
    case 'any':
      return nasty(random)
    default:
      return random.pick(['a', 'main', 'v1', 'apps/v1', 'TCP', 'Always', '10.0.0.1', 'example.test', '/x', 'Pod', ''])
  }
}

function plausibleStruct(random: Random, schema: StructSchema, depth: number): Record<string, unknown> {
  const fields = [...schema.fields.values()]
  const value: Record<string, unknown> = {}
  for (const field of fields) {
    if (!field.required && !random.chance(3 / (fields.length + depth))) continue
    value[field.name] = plausible(random, field.schema, depth + 1)
  }
  return value
}
