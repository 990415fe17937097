import { ManifestReason, type ManifestResourceMeta } from '@orrery/api'
import { type KubeObject, resourceName, StatusError } from '@orrery/kube'
import { SealError } from '@orrery/kube/seal'
import { NotAllowedError } from '../executor/notallowed.js'
import { IgnoreFieldError } from '../ignore/path.js'
import type { ManifestOutcome } from '../outcomes.js'
import { withoutSecrets } from './redaction.js'
import { ApplyConflict } from './serverside.js'

type Verdict = Pick<ManifestOutcome, 'status' | 'reason' | 'message'>

/** The manifest has been applied. */
export const APPLIED: Verdict = {
  status: 'True',
  reason: ManifestReason.Applied,
  message: 'Apply manifest complete',
}

/** A manifest that nothing can be done with, and why. */
export function unusable(problem: string): Verdict {
  return { status: 'False', reason: ManifestReason.ApplyFailed, message: `Failed to apply manifest: ${problem}` }
}

/** What went wrong with a manifest: which, why, and what to do. */
export function failed(error: unknown, meta: ManifestResourceMeta, manifest: KubeObject): Verdict {
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
  return {
    status: 'False',
    reason: ManifestReason.ApplyFailed,
    message: `Failed to apply manifest: ${about}: ${text}${adviceFor(error, meta)}`,
  }
}

const SEALING_ADVICE =
  '. Nothing of it was applied: seal the Secret again, for this cluster (`orrery create work --seal`)'

function adviceFor(error: unknown, { namespace, kind }: ManifestResourceMeta): string {
  if (error instanceof SealError) return SEALING_ADVICE
  if (error instanceof NotAllowedError || !(error instanceof StatusError)) return ''
  if (error.code === 403 && error.reason === 'Forbidden' && !/being terminated|exceeded quota/.test(error.message)) {
    return `. Let the agent do so with a ClusterRole labelled open-cluster-management.io/aggregate-to-work=true`
  }
  if (error.code === 404 && error.status.details?.kind === 'namespaces') {
    return `. Add a manifest for namespace ${JSON.stringify(namespace)} to the work, or make it beforehand`
  }
  if (error.code === 422 && /immutable|may not change/i.test(error.message)) {
    return `. A ${kind} that is there cannot be changed so: give it another name, or delete it first`
  }
  return ''
}

function nameOf({ namespace = '', name = '' }: ManifestResourceMeta): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
