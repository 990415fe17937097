import type { KubeObject } from '@orrery/kinds'
import { OperationError } from './operation-error.js'

/** The name and the manifests of a work. */
export interface WorkDraft {
  readonly name: string
  readonly manifests: readonly KubeObject[]
  /** Whether to update an existing work. Default false: that is an error. */
  readonly overwrite?: boolean
  /** Whether to seal the values of Secrets for the cluster. Default false: all who may read the work can read them. */
  readonly seal?: boolean
}

/** The result of writing a work. */
export type WorkChange = 'created' | 'changed' | 'unchanged'

/** The error for an existing object with other manifests. */
export function alreadyThere(what: string): OperationError {
  return new OperationError(`${what} already exists with other manifests: update it with --overwrite`)
}
