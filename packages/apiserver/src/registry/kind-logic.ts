import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { FieldError } from '@orrery/kinds/values'
import type { Versions } from '../apply/versions.js'
import type { Resource } from '../kinds/resource.js'
import type { Strategy } from '../kinds-rules/index.js'
import type { Entry } from '../store/types.js'

/** What a decoder made of a request body. */
export interface Conformed {
  readonly object: KubeObject
  /** Paths of fields the kind does not have; they are gone from the object. */
  readonly unknown: readonly string[]
}

/**
 * Everything the verbs need to know about one resource at one version. Built-in kinds and custom resources each
 * have one implementation; the verbs know neither.
 */
export interface KindLogic {
  readonly resource: Resource
  readonly traits: Strategy
  /**
   * Gives a parsed body the types of the kind. Throws a 400 when it has others. May change `value`. Nulls where the kind
   * has none go, unless they are to be kept for validation to refuse.
   */
  conform(value: JsonObject, nulls?: 'kept'): Conformed
  /** Throws the 413 that `conform` throws for too many items, for who has work to do before. */
  refuseManyItems(value: JsonObject): void
  applyDefaults(object: KubeObject): void
  /** Last changes before validation, such as folding `stringData` into `data`. */
  prepare(object: KubeObject, old: KubeObject | undefined, subresource: string): void
  validateCreate(object: KubeObject): FieldError[]
  validateUpdate(object: KubeObject, old: KubeObject, subresource: string): FieldError[]
  warnings(object: KubeObject, old: KubeObject | undefined): string[]
  /** Sent with every reply, reads included, when clients should move to something else. */
  readonly deprecationWarning: string | undefined
  /** Values for field selectors beyond name and namespace. */
  selectableFields(object: KubeObject): Readonly<Record<string, string>>
  /** Labels of the fields above; a selector on another one is refused. */
  readonly selectable: readonly string[]
  /** Something other than metadata.finalizers still holds a deleted object (a namespace's spec.finalizers). */
  holdsDeletion(object: KubeObject): boolean
  /** A stored object in this version. What comes back may be shared and must not be changed. */
  fromStorage(object: KubeObject): KubeObject | Promise<KubeObject>
  toStorage(object: KubeObject): KubeObject | Promise<KubeObject>
  /** Reading may have to wait, for a conversion webhook. */
  readonly convertsRemotely: boolean
  /** The JSON of a stored object in this version; undefined when it cannot be had without waiting. */
  servedBytes(entry: Entry): Buffer | undefined
  /** Objects say in a list what they are. Those of built-in kinds leave that to the list. */
  readonly typedItems: boolean
  /** The other versions of the resource, for managers that applied through them; undefined when there are none. */
  readonly versions?: Versions | undefined
}
