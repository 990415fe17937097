import type { KubeObject } from '@orrery/kinds'
import { OperationError } from './operation-error.js'

/** Which objects clusters shall have, under which name. */
export interface WorkDraft {
  readonly name: string
  readonly manifests: readonly KubeObject[]
  /** Whether a work of that name is changed. Default false: that is refused. */
  readonly overwrite?: boolean
  /** Whether the values of Secrets are sealed for the cluster. Default false: who may read the work may read them. */
  readonly seal?: boolean
}

/** What became of a work. */
export type WorkChange = 'created' | 'changed' | 'unchanged'

/** The error when there is something of that name with other manifests. */
export function alreadyThere(what: string): OperationError {
  return new OperationError(`there is a ${what} already, with other manifests: change it with --overwrite`)
}
