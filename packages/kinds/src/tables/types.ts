import type { JsonValue } from '../object.js'
import type { AnySchema, Field, ListSchema, MapSchema, ScalarType, Schema, StructSchema } from './schema.js'
import type { KindTable } from './table.js'

type PatchStrategy = NonNullable<Field['patchStrategy']>

/** Types that the tables use without declaring them, with their Go names. */
const BUILTIN: ReadonlyMap<string, { readonly type: ScalarType | 'any'; readonly go: string; readonly struct?: true }> =
  new Map([
    ['string', { type: 'string', go: 'string' }],
    ['bool', { type: 'boolean', go: 'bool' }],
    ['int32', { type: 'int32', go: 'int32' }],
    ['int64', { type: 'int64', go: 'int64' }],
    ['float64', { type: 'number', go: 'float64' }],
    ['[]byte', { type: 'bytes', go: '[]uint8' }],
    ['uid', { type: 'string', go: 'types.UID' }],
    ['time', { type: 'time', go: 'v1.Time', struct: true }],
    ['microTime', { type: 'microTime', go: 'v1.MicroTime', struct: true }],
    ['quantity', { type: 'quantity', go: 'resource.Quantity', struct: true }],
    ['intOrString', { type: 'intOrString', go: 'intstr.IntOrString', struct: true }],
    ['raw', { type: 'any', go: 'runtime.RawExtension', struct: true }],
    ['json', { type: 'any', go: 'v1.JSON', struct: true }],
    ['fieldsV1', { type: 'any', go: 'v1.FieldsV1', struct: true }],
    ['any', { type: 'any', go: 'interface {}' }],
  ])

const CHOICES: ReadonlyMap<string, { readonly or: 'schemas' | 'boolean' | 'strings'; readonly go: string }> = new Map([
  ['schemaOrArray', { or: 'schemas', go: 'v1.JSONSchemaPropsOrArray' }],
  ['schemaOrBool', { or: 'boolean', go: 'v1.JSONSchemaPropsOrBool' }],
  ['schemaOrStrings', { or: 'strings', go: 'v1.JSONSchemaPropsOrStringArray' }],
])

const ZERO: Partial<Record<Schema['type'], JsonValue>> = { string: '', boolean: false, int32: 0, int64: 0, number: 0 }

/** The declared types of all tables, each parsed on first use. */
export class TypeUniverse {
  readonly #tables = new Map<string, TableTypes>()

  constructor(tables: readonly KindTable[]) {
    for (const table of tables) this.#tables.set(table.key, new TableTypes(table, this))
  }

  /** The types of one table. Throws for an unknown key. */
  table(key: string): TableTypes {
    const found = this.#tables.get(key)
    if (found === undefined) throw new Error(`no table has the key ${key}`)
    return found
  }
}

export class TableTypes {
  readonly table: KindTable
  readonly #universe: TypeUniverse
  readonly #schemas = new Map<string, Schema>()
  #declarations: Map<string, readonly string[]> | undefined

  constructor(table: KindTable, universe: TypeUniverse) {
    this.table = table
    this.#universe = universe
  }

  /** The struct with this name; undefined if the table has none. */
  struct(name: string): StructSchema | undefined {
    const lines = this.declarations().get(name)
    if (lines === undefined || (lines[0] as string).includes(' = ')) return undefined
    return this.schema(name) as StructSchema
  }

  /** The schema of a type as fields name it, without a leading `*`. */
  schema(type: string): Schema {
    let found = this.#schemas.get(type)
    if (found === undefined) {
      found = this.#make(type)
      this.#schemas.set(type, found)
    }
    return found
  }

  /** Header line and field lines of each declaration, by name. */
  declarations(): ReadonlyMap<string, readonly string[]> {
    if (this.#declarations !== undefined) return this.#declarations
    const found = new Map<string, string[]>()
    let current: string[] = []
    for (const line of this.table.types.split('\n')) {
      if (line === '') continue
      if (line.startsWith(' ')) current.push(line.slice(2))
      else {
        current = [line]
        const space = line.indexOf(' ')
        found.set(space < 0 ? line : line.slice(0, space), current)
      }
    }
    this.#declarations = found
    return found
  }

  #make(type: string): Schema {
    const builtin = BUILTIN.get(type)
    if (builtin !== undefined) return { type: builtin.type, goType: builtin.go } as Schema
    const choice = CHOICES.get(type)
    if (choice !== undefined) {
      const schema = this.#universe.table('apiextensions').schema('JSONSchemaProps') as StructSchema
      return { type: 'any', goType: choice.go, choice: { or: choice.or, schema } } satisfies AnySchema
    }
    if (type.startsWith('[]')) return this.#list(type.slice(2))
    if (type.startsWith('map[')) return this.#map(type)
    const dot = type.indexOf('.')
    if (dot >= 0) return this.#universe.table(type.slice(0, dot)).schema(type.slice(dot + 1))
    return this.#declared(type)
  }

  #list(item: string): ListSchema {
    const items = this.schema(item)
    return { type: 'list', items, topology: 'atomic', keys: [], goType: `[]${items.goType}` }
  }

  #map(type: string): MapSchema {
    const close = type.indexOf(']')
    const key = this.schema(type.slice(4, close))
    const values = this.schema(type.slice(close + 1))
    return { type: 'map', values, atomic: false, goType: `map[${key.goType}]${values.goType}` }
  }

  #declared(name: string): Schema {
    const lines = this.declarations().get(name)
    if (lines === undefined) throw new Error(`table ${this.table.key} does not declare ${name}`)
    const goType = `${this.table.version}.${name}`
    const [, mark, type, option] = (lines[0] as string).split(' ')
    if (mark !== '=') {
      return new TableStruct(`${this.table.openapi}.${name}`, goType, mark === 'atomic', () => this.#fields(lines))
    }
    const target = this.schema(type as string)
    return option === 'wrapped' ? ({ ...target, goType, wrapped: true } as Schema) : ({ ...target, goType } as Schema)
  }

  #fields(lines: readonly string[]): Map<string, Field> {
    const fields = new Map<string, Field>()
    for (let index = 1; index < lines.length; index++) {
      const line = lines[index] as string
      if (line.startsWith('+')) for (const field of this.#inline(line)) fields.set(field.name, field)
      else {
        const field = this.#field(line)
        fields.set(field.name, field)
      }
    }
    return fields
  }

  *#inline(line: string): Generator<Field> {
    const [type, number] = line.slice(1).split(' ') as [string, string?]
    const struct = this.schema(type) as StructSchema
    const name = type.slice(type.indexOf('.') + 1)
    for (const { proto, ...field } of struct.fields.values()) {
      const inlined = [name, ...(field.inlined ?? [])]
      // Without a number the inlined struct is not part of the message: apiVersion and kind are in the envelope.
      yield number === undefined || proto === undefined
        ? { ...field, inlined }
        : { ...field, inlined, proto: [Number(number), ...proto] }
    }
  }

  #field(line: string): Field {
    const [label, declared, number, ...words] = line.split(' ') as [string, string, string, ...string[]]
    const omits = label.endsWith('?')
    const pointer = declared.startsWith('*')
    const type = pointer ? declared.slice(1) : declared
    const base = this.schema(type)
    const field: { -readonly [key in keyof Field]: Field[key] } = {
      name: omits ? label.slice(0, -1) : label,
      schema: base,
      required: !omits,
    }
    if (number !== '-') field.proto = [Number(number)]
    if (pointer) field.pointer = true
    const isStruct = base.type === 'struct' || base.type === 'any' || BUILTIN.get(type)?.struct === true
    if (!omits || (isStruct && !pointer)) field.presence = 'always'
    else if (!pointer) field.presence = 'nonzero'
    if (base.type === 'struct' && !pointer) field.default = {}
    const zero = ZERO[base.type]
    if (zero !== undefined && !omits && !pointer) field.default = zero
    for (const word of words) applyWord(field, word)
    return field
  }
}

function applyWord(field: { -readonly [key in keyof Field]: Field[key] }, word: string): void {
  if (word.startsWith('=')) {
    field.default = JSON.parse(word.slice(1)) as JsonValue
    return
  }
  const [name, argument] = word.split(':') as [string, string?]
  switch (name) {
    case 'required':
    case 'optional':
      field.required = name === 'required'
      return
    case 'omitzero':
      field.presence = 'nonzero'
      return
    case 'map':
      field.schema = { ...(field.schema as ListSchema), topology: 'map', keys: (argument as string).split(',') }
      return
    case 'set':
      field.schema = { ...(field.schema as ListSchema), topology: 'set' }
      return
    case 'atomic':
      field.schema = { ...(field.schema as MapSchema), atomic: true }
      return
    case 'granular':
      field.schema = granular(field.schema)
      return
    default:
      field.patchStrategy = name.replace('+', ',') as PatchStrategy
      if (argument !== undefined) field.patchMergeKey = argument
  }
}

function granular(schema: Schema): Schema {
  if (!(schema instanceof TableStruct)) return { ...(schema as MapSchema), granular: true }
  const { name, goType } = schema
  return new TableStruct(name, goType, false, () => schema.fields, true)
}

/** A struct whose fields are parsed from its table on first use: most kinds are never used. */
class TableStruct implements StructSchema {
  readonly type = 'struct'
  readonly name: string
  readonly goType: string
  readonly atomic: boolean
  readonly preserveUnknown = false
  readonly embedded = false
  readonly granular?: true
  readonly #read: () => ReadonlyMap<string, Field>
  #fields: ReadonlyMap<string, Field> | undefined
  #always: readonly Field[] | undefined

  constructor(
    name: string,
    goType: string,
    atomic: boolean,
    read: () => ReadonlyMap<string, Field>,
    isGranular = false,
  ) {
    this.name = name
    this.goType = goType
    this.atomic = atomic
    this.#read = read
    if (isGranular) this.granular = true
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= this.#read()
    return this.#fields
  }

  get always(): readonly Field[] {
    this.#always ??= [...this.fields.values()].filter((field) => field.presence === 'always')
    return this.#always
  }
}
