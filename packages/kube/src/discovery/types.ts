import type { ApiObject, Kind, KubeObject } from '@orrery/kinds'

/** An object of a kind that is only known at run time. */
export interface DynamicObject extends ApiObject {
  [field: string]: unknown
}

/** A resource of a server at one version. It is a `Kind`, so requests and informers accept it. */
export interface ApiResource extends Kind<DynamicObject, KubeObject> {
  readonly singular: string
  readonly shortNames: readonly string[]
  /** Names for sets of resources, such as `all`. */
  readonly categories: readonly string[]
  readonly verbs: readonly string[]
  readonly subresources: readonly ApiSubresource[]
}

/** `status`, `scale`, `token`, …: a part of the objects of a resource, which may be of another kind. */
export interface ApiSubresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

export interface ApiVersion {
  readonly version: string
  readonly resources: readonly ApiResource[]
  /** Why the resources may be stale or missing: the API server of the version could not be read. */
  readonly failure?: string
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly ApiVersion[]
}

/** A kind: at a version, or at the preferred one. */
export interface KindName {
  readonly group: string
  readonly kind: string
  readonly version?: string
}

/** A resource: at a version, or at the preferred one. */
export interface PluralName {
  readonly group: string
  readonly plural: string
  readonly version?: string
}
