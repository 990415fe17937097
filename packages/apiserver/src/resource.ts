import type { JsonValue, KubeObject } from '@orrery/kube'
import type { StructSchema } from './schema/schema.js'

export type Verb = 'create' | 'get' | 'list' | 'watch' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** One resource at one version: what a URL like `/apis/apps/v1/deployments` is served from. */
export interface Resource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly schema: StructSchema
  readonly subresources: ReadonlyMap<string, Subresource>
  /** Where its objects live. Versions of one resource share a bucket; `version` is the one that is written. */
  readonly storage: { readonly bucket: string; readonly version: string }
  /** Columns of its Table form, after `Name` and before nothing: `Age` is listed like any other. */
  readonly columns: readonly Column[]
  /** Set for custom resources: the CRD this version was compiled from. */
  readonly custom: boolean
}

/** `status`, `scale`, `token`, …: its own kind and verbs under `<resource>/<name>/`. */
export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly Verb[]
}

export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** 0 is always shown; 1 and more only in wide output. */
  readonly priority: number
  cell(object: KubeObject, now: Date): JsonValue
}
