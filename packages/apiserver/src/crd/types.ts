import type { JsonSchema } from '@orrery/cel/schema'
import type { KubeObject, Mutable } from '@orrery/kinds'
import type {
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
} from '@orrery/kinds/apiextensions'

/** A version of a definition, with its schema as the schema compiler reads it. */
export interface CrdVersion extends Mutable<Omit<CustomResourceDefinitionVersion, 'schema'>> {
  schema?: { openAPIV3Schema?: JsonSchema }
}

export interface CrdSpec extends Mutable<Omit<CustomResourceDefinitionSpec, 'versions'>> {
  versions: CrdVersion[]
}

/** The status of a definition. Names are accepted one by one. */
export interface CrdStatus extends Mutable<Omit<CustomResourceDefinitionStatus, 'acceptedNames' | 'conditions'>> {
  conditions?: readonly CustomResourceDefinitionCondition[]
  acceptedNames?: CrdNames
}

export type CrdNames = Mutable<Partial<CustomResourceDefinitionNames>>

/** A CustomResourceDefinition, stored or about to be, whose fields have the right JSON types. */
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
