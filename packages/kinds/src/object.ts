/** Any JSON value, as it comes from a request body or a stored object. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

export interface JsonObject {
  [key: string]: JsonValue
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** One manager's entry in `metadata.managedFields` (KEP-555). */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: 'Apply' | 'Update'
  readonly apiVersion?: string
  readonly time?: string
  readonly fieldsType?: 'FieldsV1'
  readonly fieldsV1?: JsonObject
  readonly subresource?: string
}

export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: readonly OwnerReference[]
  finalizers?: readonly string[]
  managedFields?: readonly ManagedFieldsEntry[]
}

/** A Kubernetes object of any kind. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

export interface GroupVersionKind {
  group: string
  version: string
  kind: string
}

/** `apps` + `v1` → `apps/v1`; the core group has no prefix. */
export function formatGroupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

/** `apps/v1` → `{group: 'apps', version: 'v1'}`; `v1` is the core group. Undefined if there is more than one slash. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } | undefined {
  const slash = apiVersion.indexOf('/')
  if (slash < 0) return { group: '', version: apiVersion }
  if (apiVersion.indexOf('/', slash + 1) >= 0) return undefined
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}
