import type { JsonSchema } from '@orrery/cel/schema'
import type { KubeObject } from '@orrery/kinds'

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

/** Returns the version with that name. */
export function versionOf(crd: Crd, name: string): CrdVersion | undefined {
  return crd.spec.versions.find((version) => version.name === name)
}

/** Returns the storage version. */
export function storageVersionOf(crd: Crd): CrdVersion | undefined {
  return crd.spec.versions.find((version) => version.storage)
}

export function conditionOf(crd: Crd, type: string): CrdCondition | undefined {
  return crd.status?.conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(crd: Crd, type: string): boolean {
  return conditionOf(crd, type)?.status === 'True'
}
