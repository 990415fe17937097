import type { JsonValue } from '@orrery/kinds'

/** An OpenAPI v3 schema of a CustomResourceDefinition (`JSONSchemaProps`). */
export interface JsonSchema {
  id?: string
  $schema?: string
  $ref?: string
  description?: string
  type?: string
  format?: string
  title?: string
  default?: JsonValue
  maximum?: number
  exclusiveMaximum?: boolean
  minimum?: number
  exclusiveMinimum?: boolean
  maxLength?: number
  minLength?: number
  pattern?: string
  maxItems?: number
  minItems?: number
  uniqueItems?: boolean
  multipleOf?: number
  enum?: JsonValue[]
  maxProperties?: number
  minProperties?: number
  required?: string[]
  items?: JsonSchema | JsonSchema[]
  allOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  not?: JsonSchema
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  patternProperties?: Record<string, JsonSchema>
  dependencies?: Record<string, JsonSchema | string[]>
  additionalItems?: JsonSchema | boolean
  definitions?: Record<string, JsonSchema>
  externalDocs?: { description?: string; url?: string }
  example?: JsonValue
  nullable?: boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-list-type'?: string
  'x-kubernetes-map-type'?: string
  'x-kubernetes-validations'?: ValidationRule[]
}

/** One CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string
  message?: string
  messageExpression?: string
  reason?: string
  fieldPath?: string
  optionalOldSelf?: boolean
}

/** A null default is no default: JSON null never reaches the schema of a version. */
export function defaultOf(schema: JsonSchema): JsonValue | undefined {
  return schema.default ?? undefined
}

/** The item schema of an array, if it is one schema (a list of schemas is rejected on creation). */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  return Array.isArray(schema.items) ? undefined : schema.items
}

/** The schema of additional properties, if there is one. */
export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}
