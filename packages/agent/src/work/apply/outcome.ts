import { ManifestReason, type ManifestResourceMeta } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import { IgnoreFieldError } from '../ignore/path.js'
import type { ManifestOutcome } from '../outcomes.js'
import { adviceFor } from './advice.js'
import { withoutSecrets } from './redaction.js'
import { ApplyConflict } from './serverside.js'

type Outcome = Pick<ManifestOutcome, 'status' | 'reason' | 'message'>

/** The manifest was applied. */
export const APPLIED: Outcome = {
  status: 'True',
  reason: ManifestReason.Applied,
  message: 'Apply manifest complete',
}

/** A manifest that cannot be processed, and why. */
export function unusable(problem: string): Outcome {
  return { status: 'False', reason: ManifestReason.ApplyFailed, message: `Failed to apply manifest: ${problem}` }
}

/** The condition for a manifest that failed: the object, the problem and the fix. */
export function failed(error: unknown, meta: ManifestResourceMeta, manifest: KubeObject): Outcome {
  const text = withoutSecrets(messageOf(error), manifest)
  const about = `${resourceName({ group: meta.group ?? '', plural: meta.resource ?? '' })} ${nameOf(meta)}`
  if (error instanceof IgnoreFieldError) {
    return {
      status: 'False',
      reason: ManifestReason.IgnoreFieldError,
      message: `Failed to process ignoreFields of ${about}: ${text}`,
    }
  }
  if (error instanceof ApplyConflict) {
    return {
      status: 'False',
      reason: ManifestReason.ApplyConflict,
      message:
        `Failed to apply manifest: ${about}: ${text}. Leave these fields out of the manifest, list them in ` +
        'serverSideApply.ignoreFields, or set serverSideApply.force to take them over',
    }
  }
  const advice = adviceFor(error, meta)
  return {
    status: 'False',
    reason: ManifestReason.ApplyFailed,
    message: `Failed to apply manifest: ${about}: ${text}${advice === undefined ? '' : `. ${advice}`}`,
  }
}

function nameOf({ namespace = '', name = '' }: ManifestResourceMeta): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
