import type { JsonValue, KubeObject } from '@orrery/kinds'
import type { TableResource } from '@orrery/kinds/tables'

/** One resource at one version: what a URL like `/apis/apps/v1/deployments` is served from. */
export interface Resource extends TableResource {
  /** Where its objects live. Versions of one resource share a bucket; `version` is the one that is written. */
  readonly storage: { readonly bucket: string; readonly version: string }
  /** Columns of its Table form, after `Name` and before nothing: `Age` is listed like any other. */
  readonly columns: readonly Column[]
  /** Set for custom resources: the CRD this version was compiled from. */
  readonly custom: boolean
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
