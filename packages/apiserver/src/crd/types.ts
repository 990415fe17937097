import type { JsonValue, KubeObject } from '@orrery/kube'

/** An OpenAPI v3 schema as a CustomResourceDefinition holds it (`JSONSchemaProps`). */
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

export interface CrdNames {
  plural?: string
  singular?: string
  kind?: string
  listKind?: string
  shortNames?: string[]
  categories?: string[]
}

export interface ScalePaths {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath?: string
}

export interface CrdSubresources {
  status?: Record<string, never>
  scale?: ScalePaths
}

export interface PrinterColumn {
  name: string
  type: string
  jsonPath: string
  format?: string
  description?: string
  priority?: number
}

export interface CrdVersion {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: { openAPIV3Schema?: JsonSchema }
  subresources?: CrdSubresources
  additionalPrinterColumns?: PrinterColumn[]
  selectableFields?: { jsonPath: string }[]
}

export interface ServiceReference {
  namespace: string
  name: string
  path?: string
  port?: number
}

export interface WebhookClientConfig {
  url?: string
  service?: ServiceReference
  /** Base64 of a PEM bundle. */
  caBundle?: string
}

export interface CrdConversion {
  strategy: string
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] }
}

export interface CrdSpec {
  group: string
  scope: string
  names: CrdNames
  versions: CrdVersion[]
  conversion?: CrdConversion
  preserveUnknownFields?: boolean
}

export interface CrdCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
  observedGeneration?: number
}

export interface CrdStatus {
  conditions?: CrdCondition[]
  acceptedNames?: CrdNames
  storedVersions?: string[]
  observedGeneration?: number
}

/** A CustomResourceDefinition of apiextensions.k8s.io/v1 whose fields have the right JSON types. */
export interface Crd extends KubeObject {
  spec: CrdSpec
  status?: CrdStatus
}

/** A null default is no default: JSON null never reaches the schema of a version. */
export function defaultOf(schema: JsonSchema): JsonValue | undefined {
  return schema.default ?? undefined
}

/** The item schema of an array, when it is one schema (a list of schemas is refused on creation). */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  return Array.isArray(schema.items) ? undefined : schema.items
}

/** The schema of free keys, when `additionalProperties` is one. */
export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

/** The version of that name. */
export function versionOf(crd: Crd, name: string): CrdVersion | undefined {
  return crd.spec.versions.find((version) => version.name === name)
}

/** The version objects are stored in. */
export function storageVersionOf(crd: Crd): CrdVersion | undefined {
  return crd.spec.versions.find((version) => version.storage)
}

export function conditionOf(crd: Crd, type: string): CrdCondition | undefined {
  return crd.status?.conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(crd: Crd, type: string): boolean {
  return conditionOf(crd, type)?.status === 'True'
}
