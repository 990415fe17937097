import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { FieldError } from '@orrery/kinds/values'
import type { Versions } from '../apply/versions.js'
import type { Resource } from '../kinds/resource.js'
import type { Strategy } from '../kinds-rules/index.js'
import type { Entry } from '../store/types.js'

/** A decoded request body. */
export interface Conformed {
  readonly object: KubeObject
  /** Paths of unknown fields, which are removed from the object. */
  readonly unknown: readonly string[]
}

/**
 * The strategy of one resource at one version. Built-in kinds and custom resources each have an implementation; the
 * verbs know neither.
 */
export interface KindLogic {
  readonly resource: Resource
  readonly traits: Strategy
  /**
   * Types a parsed body. Throws a 400 for wrong types. May modify `value`. Nulls that are not allowed are dropped,
   * unless they are kept for validation.
   */
  conform(value: JsonObject, nulls?: 'kept'): Conformed
  /** Throws the 413 of `conform` for too many items, before other work. */
  refuseManyItems(value: JsonObject): void
  applyDefaults(object: KubeObject): void
  /** Changes before validation (PrepareForCreate, PrepareForUpdate), such as moving `stringData` to `data`. */
  prepare(object: KubeObject, old: KubeObject | undefined, subresource: string): void
  validateCreate(object: KubeObject): FieldError[]
  validateUpdate(object: KubeObject, old: KubeObject, subresource: string): FieldError[]
  warnings(object: KubeObject, old: KubeObject | undefined): string[]
  /** Sent with every response, reads included, if the version is deprecated. */
  readonly deprecationWarning: string | undefined
  /** The values of field selectors besides name and namespace. */
  selectableFields(object: KubeObject): Readonly<Record<string, string>>
  /** The supported field labels; a selector with another one is refused. */
  readonly selectable: readonly string[]
  /**
   * Returns whether something other than metadata.finalizers keeps a deleted object (spec.finalizers of a namespace).
   */
  holdsDeletion(object: KubeObject): boolean
  /** Converts a stored object to this version. The result may be shared and must not be modified. */
  fromStorage(object: KubeObject): KubeObject | Promise<KubeObject>
  toStorage(object: KubeObject): KubeObject | Promise<KubeObject>
  /** Whether reading may be asynchronous, because of a conversion webhook. */
  readonly convertsRemotely: boolean
  /** Returns the JSON of a stored object in this version; undefined if that needs an asynchronous conversion. */
  servedBytes(entry: Entry): Buffer | undefined
  /** Whether items of a list have kind and apiVersion. Those of built-in kinds do not. */
  readonly typedItems: boolean
  /** The other versions of the resource, for managers that applied through them; undefined if there are none. */
  readonly versions?: Versions | undefined
}
