import type { JsonObject } from '@orrery/kinds'
import type { ObjectChange } from './change.js'
import type { StructCheck } from './check.js'
import type { NameRule } from './object-meta.js'

/** Everything the API asks of the objects of one built-in kind, beyond their shape. */
export interface KindRules {
  readonly namespaced: boolean
  readonly nameRule: NameRule
  /** Off for kinds whose finalizers may have any name. */
  readonly knownFinalizers?: boolean
  /** Kinds that are only ever posted, like reviews, have no metadata to speak of. */
  readonly withoutMetadata?: boolean
  /** What any object of the kind must fulfil, when it is made and, unless `revalidated` is false, when it changes. */
  readonly valid?: StructCheck
  readonly revalidated?: boolean
  /** What may not change is reported before what is wrong with the object. */
  readonly changesFirst?: boolean
  /** What is asked of new objects only. */
  readonly onCreate?: StructCheck
  /** What may change, by subresource; '' is the object itself. */
  readonly onUpdate?: Readonly<Record<string, ObjectChange>>
}

/** A namespaced kind with the usual names. */
export const NAMESPACED = { namespaced: true, nameRule: 'subdomain' } as const satisfies KindRules

/** A kind without namespace with the usual names. */
export const CLUSTER_WIDE = { namespaced: false, nameRule: 'subdomain' } as const satisfies KindRules

/** The rules of one API group, by kind. */
export type GroupRules = Readonly<Record<string, KindRules>>

/**
 * What a kind's objects are given before they are validated. `old` is undefined for new ones. An object may share parts
 * with the old one: below the top and the metadata, whatever changes is copied first.
 */
export type Prepare = (object: JsonObject, old: JsonObject | undefined, subresource: string, now: Date) => void
