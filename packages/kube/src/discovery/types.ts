import type { ApiObject, Kind, KubeObject } from '@orrery/kinds'

/** An object of a kind that was only found out at run time. */
export interface DynamicObject extends ApiObject {
  [field: string]: unknown
}

/** A resource as a server offers it, at one version. It is a `Kind`: requests and informers take it as it is. */
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
  /** Why the resources may be out of date or missing: who serves the version could not be asked. */
  readonly failure?: string
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string
  /** The preferred one first. */
  readonly versions: readonly ApiVersion[]
}

/** Which kind is meant: at a version, or at the one that the server prefers. */
export interface KindName {
  readonly group: string
  readonly kind: string
  readonly version?: string
}

/** Which resource is meant: at a version, or at the one that the server prefers. */
export interface PluralName {
  readonly group: string
  readonly plural: string
  readonly version?: string
}
