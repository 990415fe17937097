import { utf8Length } from '@orrery/kinds/values'
import { escapeProperty } from './escape.js'
import {
  boolType,
  bytesType,
  type CelData,
  type CelField,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  withData,
} from './type.js'

/** The used part of an OpenAPI v3 schema of a CustomResourceDefinition. */
export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/** The size limit of requests, and so of everything in them. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024

const MAX_TEXT = MAX_REQUEST_BYTES - 2
/** The longest and shortest texts of these formats, including quotes. */
const MAX_TIME_TEXT = 32
const MIN_DURATION_TEXT = 3
const DATE_TEXT = 12
const MIN_DATE_TIME_TEXT = 21

/** A map key has no bound of its own in Kubernetes' estimates. */
const keyType = withData(stringType, { maxElements: 0 })

const text: JsonSchema = { type: 'string' }
const objectMeta: JsonSchema = { type: 'object', properties: { name: text, generateName: text } }

/**
 * The type of data that a schema describes, for `self` in its validation rules. Undefined if rules cannot access the
 * data, for example without a type. `isResource` is for the root of a custom resource, where rules can always access
 * kind and name.
 */
export function celTypeOf(schema: JsonSchema, isResource = false, name = 'selfType'): CelType | undefined {
  const data = { nullable: schema.nullable === true }
  if (schema['x-kubernetes-int-or-string']) {
    const maxElements = schema.maxLength === undefined ? MAX_TEXT : bound(schema.maxLength) * 4
    return withData(dynType, { ...data, intOrString: true, maxElements, minBytes: 1 })
  }
  switch (schema.type) {
    case 'array':
      return arrayType(schema, data, name)
    case 'object':
      return objectOrMapType(isResource ? withTypeMeta(schema) : schema, data, name)
    case 'string':
      return textType(schema, data)
    case 'boolean':
      return withData(boolType, { ...data, maxElements: 0, minBytes: 4 })
    case 'number':
      return withData(doubleType, { ...data, maxElements: 0, minBytes: 1 })
    case 'integer':
      return withData(intType, { ...data, maxElements: 0, minBytes: 1 })
    default:
      return undefined
  }
}

/** How often data of a type can occur in one request: rules inside unbounded lists may run that often. */
export function maxCardinality(type: CelType): number {
  return Math.floor(MAX_REQUEST_BYTES / ((type.data?.minBytes ?? 0) + 1))
}

function arrayType(schema: JsonSchema, data: CelData, name: string): CelType | undefined {
  const items = schema.items && nestedType(schema.items, `${name}.@idx`)
  if (items === undefined) return undefined
  const maxElements =
    schema.maxItems === undefined
      ? Math.floor((MAX_REQUEST_BYTES - 2) / ((items.data?.minBytes ?? 0) + 1))
      : bound(schema.maxItems)
  const topology = schema['x-kubernetes-list-type']
  return listType(items, {
    ...data,
    maxElements,
    minBytes: 2,
    listType: topology === 'set' || topology === 'map' ? topology : 'atomic',
    keys: (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeProperty(key) ?? key),
  })
}

function objectOrMapType(schema: JsonSchema, data: CelData, name: string): CelType | undefined {
  if (typeof schema.additionalProperties === 'object') {
    const values = nestedType(schema.additionalProperties, `${name}.@elem`)
    if (values === undefined) return undefined
    const maxElements =
      schema.maxProperties === undefined
        ? Math.floor((MAX_REQUEST_BYTES - 2) / ((values.data?.minBytes ?? 0) + 6))
        : bound(schema.maxProperties)
    return mapType(keyType, values, { ...data, maxElements, minBytes: 2 })
  }
  const fields = new Map<string, CelField>()
  let minBytes = 2
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const type = nestedType(propertySchema, `${name}.${property}`)
    if (type === undefined) continue
    const escaped = escapeProperty(property)
    if (escaped !== undefined) fields.set(escaped, { name: property, type })
    // The server fills in defaults, so a request need not contain them.
    if (schema.required?.includes(property) && propertySchema.default === undefined) {
      minBytes += utf8Length(property) + (type.data?.minBytes ?? 0) + 4
    }
  }
  return objectType(name, fields, { ...data, maxElements: 0, minBytes })
}

function textType(schema: JsonSchema, data: CelData): CelType {
  switch (schema.format) {
    case 'byte':
      return withData(bytesType, { ...data, maxElements: textBound(schema, 1), minBytes: 2 })
    case 'duration':
      return withData(durationType, { ...data, maxElements: MAX_TIME_TEXT, minBytes: MIN_DURATION_TEXT })
    case 'date':
      return withData(timestampType, { ...data, maxElements: DATE_TEXT, minBytes: DATE_TEXT, dateOnly: true })
    case 'date-time':
      return withData(timestampType, { ...data, maxElements: MAX_TIME_TEXT, minBytes: MIN_DATE_TIME_TEXT })
    default:
      // Lengths are declared in characters of up to four bytes.
      return withData(stringType, { ...data, maxElements: textBound(schema, 4), minBytes: 2 })
  }
}

function textBound({ maxLength, enum: values = [] }: JsonSchema, bytesPerCharacter: number): number {
  if (maxLength !== undefined) return bound(maxLength) * bytesPerCharacter
  if (values.length === 0 || bytesPerCharacter === 1) return MAX_TEXT
  return Math.max(...values.map((value) => (typeof value === 'string' ? utf8Length(value) : 0)))
}

function nestedType(schema: JsonSchema, name: string): CelType | undefined {
  return celTypeOf(schema, schema['x-kubernetes-embedded-resource'] === true, name)
}

function withTypeMeta(schema: JsonSchema): JsonSchema {
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata: objectMeta } }
}

function bound(declared: number): number {
  return Math.max(0, declared)
}
