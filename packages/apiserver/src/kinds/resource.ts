import type { JsonValue, KubeObject } from '@orrery/kinds'
import type { TableResource } from '@orrery/kinds/tables'

/** One resource at one version, such as `/apis/apps/v1/deployments`. */
export interface Resource extends TableResource {
  /** Where its objects are stored. Versions of one resource share a bucket; `version` is the storage version. */
  readonly storage: { readonly bucket: string; readonly version: string }
  /** The columns of its Table form after `Name`, including `Age`. */
  readonly columns: readonly Column[]
  /** Whether it is a custom resource. */
  readonly custom: boolean
}

export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: string
  readonly description: string
  /** 0 is always shown; higher values only in wide output. */
  readonly priority: number
  cell(object: KubeObject, now: Date): JsonValue
}
