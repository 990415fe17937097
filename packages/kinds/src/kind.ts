import type { ObjectMeta } from './object.js'

/** The metadata of an object from a server. */
export interface StoredMeta extends Readonly<ObjectMeta> {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string
}

/** The metadata of a namespaced object. */
export interface NamespacedMeta extends StoredMeta {
  readonly namespace: string
}

/** An object from a server. Informers share objects, so all of it is read-only: `draftOf` of `@orrery/kube` copies one for changes. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: StoredMeta
}

/** A namespaced object. */
export interface NamespacedObject extends ApiObject {
  readonly metadata: NamespacedMeta
}

/** An object to write: the kind sets `apiVersion` and `kind`, the server the rest of the metadata. */
export type Draft<T extends ApiObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

/** A resource of the API. */
export interface ResourceType {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The name in paths: `configmaps`. */
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
}

/**
 * A resource of the API, with the types of its objects for reading (`T`) and writing (`New`). Requests, informers and
 * controllers take one.
 */
export interface Kind<T extends ApiObject = ApiObject, New extends object = Draft<T>> extends ResourceType {
  /** Never set: only carries the type of an object that was read. */
  readonly object?: T
  /** Never set: only carries the type of an object to write. */
  readonly draft?: New
}

/** The type of a kind's objects, as read from a server. */
export type ObjectOf<K> = K extends Kind<infer T, infer _New> ? T : never

/** The type of a kind's objects, as written to a server. */
export type DraftOf<K> = K extends Kind<infer _T, infer New> ? New : never

/** The namespace and name of an object. */
export interface ObjectRef {
  readonly name: string
  readonly namespace?: string | undefined
}

/** The name of a resource in kubectl: `configmaps`, `deployments.apps`. */
export function resourceName({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** `namespace/name`, or the name of a cluster-scoped object: unique within a kind. */
export function keyOf({ namespace, name }: ObjectRef): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The reverse of `keyOf`. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

/** A copy of an object for changes: nothing of it is read-only. */
export type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T
