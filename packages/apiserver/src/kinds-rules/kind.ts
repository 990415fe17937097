import type { JsonObject } from '@orrery/kinds'
import type { ObjectChange } from './change.js'
import type { StructCheck } from './check.js'
import type { NameRule } from './object-meta.js'

/** The validation of one built-in kind, beyond its schema (its strategy upstream). */
export interface KindRules {
  readonly namespaced: boolean
  readonly nameRule: NameRule
  /** Disabled for kinds whose finalizers can have any name. */
  readonly knownFinalizers?: boolean
  /** Kinds that are only created and answered, such as reviews, have no metadata. */
  readonly withoutMetadata?: boolean
  /** Rules for all objects of the kind, on create and, unless `revalidated` is false, on update. */
  readonly valid?: StructCheck
  readonly revalidated?: boolean
  /** Whether forbidden changes are reported before other errors. */
  readonly changesFirst?: boolean
  /** Rules for new objects only. */
  readonly onCreate?: StructCheck
  /** Allowed changes by subresource; '' is the object itself. */
  readonly onUpdate?: Readonly<Record<string, ObjectChange>>
}

/** A namespaced kind with DNS subdomain names. */
export const NAMESPACED = { namespaced: true, nameRule: 'subdomain' } as const satisfies KindRules

/** A cluster-scoped kind with DNS subdomain names. */
export const CLUSTER_WIDE = { namespaced: false, nameRule: 'subdomain' } as const satisfies KindRules

/** The rules of one API group, by kind. */
export type GroupRules = Readonly<Record<string, KindRules>>

/**
 * Sets fields of an object before its validation (PrepareForCreate, PrepareForUpdate). `old` is undefined for new
 * objects. An object may share parts with the old one: below the top level and the metadata, copy before changing.
 */
export type Prepare = (object: JsonObject, old: JsonObject | undefined, subresource: string, now: Date) => void
