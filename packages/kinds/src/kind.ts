import type { ObjectMeta } from './object.js'

/** Metadata of an object that came from a server. */
export interface StoredMeta extends ObjectMeta {
  name: string
  uid: string
  resourceVersion: string
  creationTimestamp: string
}

/** Metadata of an object in a namespace. */
export interface NamespacedMeta extends StoredMeta {
  namespace: string
}

/** An object that came from a server. */
export interface ApiObject {
  apiVersion: string
  kind: string
  metadata: StoredMeta
}

/** An object in a namespace. */
export interface NamespacedObject extends ApiObject {
  metadata: NamespacedMeta
}

/** An object to be sent: the kind gives `apiVersion` and `kind`, the server the rest of the metadata. */
export type Draft<T extends ApiObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

/** Where a resource is in the API. */
export interface ResourceType {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The name in paths: `configmaps`. */
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
}

/**
 * A resource of the API, and the types of its objects as they are read (`T`) and written (`New`).
 * Every request, informer and controller is about one.
 */
export interface Kind<T extends ApiObject = ApiObject, New extends object = Draft<T>> extends ResourceType {
  /** Never there: only carries the type of an object that was read. */
  readonly object?: T
  /** Never there: only carries the type of an object to be written. */
  readonly draft?: New
}

/** The type of a kind's objects, as a server gives them. */
export type ObjectOf<K> = K extends Kind<infer T, infer _New> ? T : never

/** The type of a kind's objects, as a server takes them. */
export type DraftOf<K> = K extends Kind<infer _T, infer New> ? New : never

/** Which object of a kind is meant. */
export interface ObjectRef {
  readonly name: string
  readonly namespace?: string | undefined
}

/** `configmaps` + core, `deployments.apps`: how kubectl names a resource. */
export function resourceName({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** `namespace/name`, or the name alone outside namespaces: unique within a kind. */
export function keyOf({ namespace, name }: ObjectRef): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The reverse of `keyOf`. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
