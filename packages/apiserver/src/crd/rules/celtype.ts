import {
  boolType,
  bytesType,
  type CelData,
  type CelField,
  type CelType,
  doubleType,
  durationType,
  dynType,
  escapeProperty,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  withData,
} from '@orrery/kube/cel'
import { type SchemaNode, schemaTree } from '../schematree.js'
import type { JsonSchema } from '../types.js'

/** The largest request the server accepts: no value in an object can be larger. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024
const NAME_MAX_LENGTH = 253
const MIN_OBJECT_BYTES = 2

/** What is named but has no type that rules could use, such as `x-kubernetes-preserve-unknown-fields` alone. */
type Exposed = CelType | undefined

/**
 * The type by which rules see values of a schema, with the bounds from which costs are estimated. Undefined for values
 * whose structure is unknown: rules cannot see them. A resource has its type and names, whatever the schema says.
 */
export function celTypeOf(node: SchemaNode, isResource: boolean): Exposed {
  const type = isResource ? objectTypeOf(withResourceFields(node)) : plainType(node)
  return type && node.nullable ? withData(type, { nullable: true }) : type
}

function plainType(node: SchemaNode): Exposed {
  const { schema } = node
  if (schema['x-kubernetes-int-or-string']) {
    const maxElements = schema.maxLength === undefined ? MAX_REQUEST_BYTES - 2 : bytesOf(schema.maxLength)
    return withData(dynType, { intOrString: true, maxElements, minBytes: 1 })
  }
  switch (node.type) {
    case 'array':
      return listTypeOf(node)
    case 'object':
      return node.additional ? mapTypeOf(node, node.additional) : objectTypeOf(node)
    case 'string':
      return textTypeOf(schema)
    case 'boolean':
      return withData(boolType, { minBytes: 4 })
    case 'number':
      return withData(doubleType, { minBytes: 1 })
    case 'integer':
      return withData(intType, { minBytes: 1 })
    default:
      return undefined
  }
}

function childType(node: SchemaNode): Exposed {
  return celTypeOf(node, node.embedded)
}

function listTypeOf(node: SchemaNode): Exposed {
  const element = node.items && childType(node.items)
  if (!element) return undefined
  const fitting = Math.floor((MAX_REQUEST_BYTES - 2) / (minBytesOf(element) + 1))
  const data: CelData = { maxElements: bounded(node.schema.maxItems) ?? fitting, minBytes: 2 }
  if (node.listType === 'map') return listType(element, { ...data, listType: 'map', keys: node.listKeys })
  return listType(element, node.listType === 'set' ? { ...data, listType: 'set' } : data)
}

function mapTypeOf(node: SchemaNode, additional: SchemaNode): Exposed {
  const value = childType(additional)
  if (!value) return undefined
  // Besides its value an entry takes a key of no length, its quotes, a colon and a comma.
  const fitting = Math.floor((MAX_REQUEST_BYTES - 2) / (minBytesOf(value) + 6))
  // Keys are short, and nothing in a schema could bound them: they are estimated as free.
  const key = withData(stringType, { maxElements: 0, minBytes: 2 })
  return mapType(key, value, { maxElements: bounded(node.schema.maxProperties) ?? fitting, minBytes: 2 })
}

function objectTypeOf(node: SchemaNode): CelType {
  const fields = new Map<string, CelField>()
  const required = new Set(node.schema.required)
  let minBytes = MIN_OBJECT_BYTES
  for (const [name, property] of node.properties) {
    const type = childType(property)
    if (!type) continue
    const escaped = escapeProperty(name)
    if (escaped !== undefined) fields.set(escaped, { name, type })
    if (required.has(name) && property.default === undefined) {
      minBytes += Buffer.byteLength(name) + minBytesOf(type) + 4
    }
  }
  return objectType('object', fields, { minBytes })
}

function textTypeOf(schema: JsonSchema): CelType {
  switch (schema.format) {
    case 'byte':
      return withData(bytesType, { maxElements: bounded(schema.maxLength) ?? MAX_REQUEST_BYTES - 2, minBytes: 2 })
    case 'duration':
      return withData(durationType, { maxElements: 32, minBytes: 3 })
    case 'date':
      return withData(timestampType, { dateOnly: true, maxElements: 12, minBytes: 12 })
    case 'date-time':
      return withData(timestampType, { maxElements: 32, minBytes: 21 })
    default:
      return withData(stringType, { maxElements: maxTextBytes(schema), minBytes: 2 })
  }
}

function maxTextBytes(schema: JsonSchema): number {
  if (schema.maxLength !== undefined) return bytesOf(schema.maxLength)
  const choices = (schema.enum ?? []).filter((choice) => typeof choice === 'string')
  if ((schema.enum ?? []).length === 0) return MAX_REQUEST_BYTES - 2
  return choices.reduce((longest, choice) => Math.max(longest, Buffer.byteLength(choice)), 0)
}

/** Lengths are limited in characters, costs are counted in bytes: four at most for each. */
function bytesOf(maxLength: number): number {
  return Math.max(maxLength, 0) * 4
}

function bounded(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Math.max(limit, 0)
}

/** Fewest bytes a value of the type takes in JSON. */
export function minBytesOf(type: CelType): number {
  return type.data?.minBytes ?? 1
}

/** How often values of the type can be in one request at most. */
export function maxOccurrences(type: CelType): number {
  return Math.floor(MAX_REQUEST_BYTES / (minBytesOf(type) + 1))
}

/** Rules on a resource can always see its type and names, which are as long as names can be. */
function withResourceFields(node: SchemaNode): SchemaNode {
  const meta = node.properties.get('metadata')?.properties
  const text = schemaTree({ type: 'string' })
  const name = Math.min(NAME_MAX_LENGTH, meta?.get('name')?.schema.maxLength ?? NAME_MAX_LENGTH)
  const prefix = Math.min(NAME_MAX_LENGTH - 1, meta?.get('generateName')?.schema.maxLength ?? NAME_MAX_LENGTH - 1)
  const metadata = schemaTree({
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: name },
      generateName: { type: 'string', maxLength: prefix },
    },
  })
  const properties = new Map(node.properties)
  for (const [field, type] of [
    ['kind', text],
    ['apiVersion', text],
    ['metadata', metadata],
  ] as const) {
    properties.set(field, type)
  }
  return { ...node, properties }
}
