import type { JsonValue } from '@orrery/kinds'
import { enforcedFormat, stringFormatCheck } from './formats.js'
import { additionalOf, defaultOf, itemsOf, type JsonSchema, type ValidationRule } from './json-schema.js'
import {
  type Choices,
  type CountLimits,
  choicesOf,
  countLimits,
  type NumberBounds,
  numberBounds,
  type TextLimits,
  textLimits,
} from './keywords.js'

/**
 * A compiled schema: what pruning, defaulting and validation need of it, with every keyword looked up once. The `...Below`
 * flags tell whether a traversal has work to do in a sub-tree, including the node itself; `junctors` do not count, since they
 * only validate.
 */
export interface SchemaNode {
  readonly schema: JsonSchema
  readonly type: string
  /** What `type` and `x-kubernetes-int-or-string` allow. Empty for any type. */
  readonly types: readonly string[]
  readonly nullable: boolean
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** The schema of additional properties. */
  readonly additional: SchemaNode | undefined
  /** Whether `additionalProperties` is set, to `true`, `false` or a schema. */
  readonly hasAdditional: boolean
  /** `additionalProperties: false`. */
  readonly closed: boolean
  readonly required: readonly string[]
  readonly propertyLimits: CountLimits | undefined
  readonly items: SchemaNode | undefined
  readonly itemLimits: CountLimits | undefined
  readonly format: string
  readonly formatCheck: ((text: string) => boolean) | undefined
  readonly text: TextLimits | undefined
  readonly number: NumberBounds | undefined
  readonly choices: Choices | undefined
  readonly junctors: Junctors | undefined
  readonly preserveUnknown: boolean
  readonly embedded: boolean
  readonly listType: string
  readonly listKeys: readonly string[]
  readonly rules: readonly ValidationRule[]
  readonly default: JsonValue | undefined
  readonly defaultsBelow: boolean
  readonly embeddedBelow: boolean
  readonly uniqueBelow: boolean
  readonly rulesBelow: boolean
}

/** The schemas that a value is checked with besides its own. */
export interface Junctors {
  readonly allOf: readonly SchemaNode[]
  readonly anyOf: readonly SchemaNode[]
  readonly oneOf: readonly SchemaNode[]
  readonly not: SchemaNode | undefined
}

const NO_PROPERTIES: ReadonlyMap<string, SchemaNode> = new Map()
const NO_NAMES: readonly string[] = []
const NO_RULES: readonly ValidationRule[] = []

/** Compiles a schema that has passed the structural checks. */
export function schemaTree(schema: JsonSchema): SchemaNode {
  const properties = propertiesOf(schema)
  const additionalSchema = additionalOf(schema)
  const itemSchema = itemsOf(schema)
  const additional = additionalSchema && schemaTree(additionalSchema)
  const items = itemSchema && schemaTree(itemSchema)
  const types = typesOf(schema)
  const format = enforcedFormat(types.length === 1 ? (types[0] as string) : '', schema.format ?? '')
  const rules = schema['x-kubernetes-validations'] ?? NO_RULES
  const listType = schema['x-kubernetes-list-type'] ?? ''
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const children = [...properties.values()]
  if (additional) children.push(additional)
  if (items) children.push(items)
  const value = defaultOf(schema)
  return {
    schema,
    type: schema.type ?? '',
    types,
    nullable: schema.nullable === true,
    properties,
    additional,
    hasAdditional: schema.additionalProperties !== undefined,
    closed: schema.additionalProperties === false,
    required: schema.required ?? NO_NAMES,
    propertyLimits: countLimits(schema.minProperties, schema.maxProperties),
    items,
    itemLimits: countLimits(schema.minItems, schema.maxItems),
    format,
    formatCheck: stringFormatCheck(format),
    text: textLimits(schema),
    number: numberBounds(schema, types, format),
    choices: choicesOf(schema),
    junctors: junctorsOf(schema),
    preserveUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded,
    listType,
    listKeys: schema['x-kubernetes-list-map-keys'] ?? NO_NAMES,
    rules,
    default: value,
    defaultsBelow: value !== undefined || children.some((child) => child.defaultsBelow),
    embeddedBelow: embedded || children.some((child) => child.embeddedBelow),
    uniqueBelow: listType === 'set' || listType === 'map' || children.some((child) => child.uniqueBelow),
    rulesBelow: rules.length > 0 || children.some((child) => child.rulesBelow),
  }
}

function propertiesOf({ properties }: JsonSchema): ReadonlyMap<string, SchemaNode> {
  if (properties === undefined) return NO_PROPERTIES
  return new Map(Object.entries(properties).map(([name, property]) => [name, schemaTree(property)]))
}

const INT_OR_STRING: readonly string[] = ['integer', 'string']

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string']) return INT_OR_STRING
  return schema.type ? [schema.type] : NO_NAMES
}

function junctorsOf({ allOf = [], anyOf = [], oneOf = [], not }: JsonSchema): Junctors | undefined {
  if (allOf.length === 0 && anyOf.length === 0 && oneOf.length === 0 && not === undefined) return undefined
  return {
    allOf: allOf.map(schemaTree),
    anyOf: anyOf.map(schemaTree),
    oneOf: oneOf.map(schemaTree),
    not: not && schemaTree(not),
  }
}

/** The schema of a version without one: any object. */
export const ANY_OBJECT: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
