import type { JsonValue } from '@orrery/kinds'
import { additionalOf, defaultOf, itemsOf, type JsonSchema, type ValidationRule } from './json-schema.js'

/**
 * The structural part of a schema (everything but anyOf, oneOf, allOf and not), indexed for traversing an object. The
 * `...Below` flags tell whether a traversal has work to do in a sub-tree, including the node itself.
 */
export interface SchemaNode {
  readonly schema: JsonSchema
  readonly type: string
  readonly nullable: boolean
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** The schema of additional properties. */
  readonly additional: SchemaNode | undefined
  /** Whether `additionalProperties` is set, to `true`, `false` or a schema. */
  readonly hasAdditional: boolean
  readonly items: SchemaNode | undefined
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

/** Indexes a schema that has passed the structural checks. */
export function schemaTree(schema: JsonSchema): SchemaNode {
  const properties = new Map<string, SchemaNode>()
  for (const [name, property] of Object.entries(schema.properties ?? {})) properties.set(name, schemaTree(property))
  const additionalSchema = additionalOf(schema)
  const itemSchema = itemsOf(schema)
  const additional = additionalSchema && schemaTree(additionalSchema)
  const items = itemSchema && schemaTree(itemSchema)
  const rules = schema['x-kubernetes-validations'] ?? []
  const listType = schema['x-kubernetes-list-type'] ?? ''
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const children = [...properties.values()]
  if (additional) children.push(additional)
  if (items) children.push(items)
  const value = defaultOf(schema)
  return {
    schema,
    type: schema.type ?? '',
    nullable: schema.nullable === true,
    properties,
    additional,
    hasAdditional: schema.additionalProperties !== undefined,
    items,
    preserveUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embedded,
    listType,
    listKeys: schema['x-kubernetes-list-map-keys'] ?? [],
    rules,
    default: value,
    defaultsBelow: value !== undefined || children.some((child) => child.defaultsBelow),
    embeddedBelow: embedded || children.some((child) => child.embeddedBelow),
    uniqueBelow: listType === 'set' || listType === 'map' || children.some((child) => child.uniqueBelow),
    rulesBelow: rules.length > 0 || children.some((child) => child.rulesBelow),
  }
}

/** The schema of a version without one: any object. */
export const ANY_OBJECT: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
