import { ManifestCondition, type ManifestStatus, type ManifestWork, WorkCondition } from '@orrery/api'
import { findCondition } from '@orrery/kube'
import type { Condition } from '@orrery/kube/kinds'

/** Something that is not well with a work: with one of its manifests, or with all of it. */
export interface WorkProblem {
  /** `Deployment shop/web`; undefined when it is about the whole work, or the manifest does not say. */
  readonly manifest: string | undefined
  /** The place of the manifest in the work, from 1; undefined when it is about the whole work. */
  readonly number: number | undefined
  readonly reason: string
  readonly message: string
}

/** An agent that works reports within this time what it has still to delete, in ms. */
const ANSWERED_WITHIN = 5_000

const NOT_ANSWERED = {
  reason: 'Deleting',
  message: 'the agent of the cluster has not answered yet: run `orrery get clusters` to see its state',
}

/** What is not well with a work, the manifests in their order: which, why, and, as the agent says, what to do. */
export function problemsOf(work: ManifestWork, now = Date.now()): WorkProblem[] {
  const { conditions, resourceStatus } = work.status ?? {}
  const deleting = findCondition(conditions, WorkCondition.Deleting)
  const ofManifests = (resourceStatus?.manifests ?? [])
    .toSorted((a, b) => a.resourceMeta.ordinal - b.resourceMeta.ordinal)
    .flatMap(manifestProblems)
  if (work.metadata.deletionTimestamp !== undefined) {
    const isLate = now - Date.parse(work.metadata.deletionTimestamp) > ANSWERED_WITHIN
    const why = deleting?.status === 'True' ? said(deleting) : isLate ? NOT_ANSWERED : undefined
    return why === undefined ? [] : [{ manifest: undefined, number: undefined, ...why }]
  }
  if (ofManifests.length > 0) return ofManifests
  const applied = findCondition(conditions, WorkCondition.Applied)
  return applied?.status === 'False' ? [{ manifest: undefined, number: undefined, ...said(applied) }] : []
}

/** What was not applied is not there either: of each manifest the first thing that is wrong will do. */
function manifestProblems({ resourceMeta, conditions }: ManifestStatus): WorkProblem[] {
  const { Applied, Available, Degraded, StatusFeedbackSynced } = ManifestCondition
  const is = (type: string, status: string) => {
    const condition = findCondition(conditions, type)
    return condition?.status === status ? condition : undefined
  }
  const found =
    is(Applied, 'False') ??
    is(Available, 'False') ??
    is(Available, 'Unknown') ??
    is(Degraded, 'True') ??
    is(StatusFeedbackSynced, 'False')
  if (found === undefined) return []
  return [{ manifest: nameOf(resourceMeta), number: resourceMeta.ordinal + 1, ...said(found) }]
}

function said({ reason = '', message = '' }: Condition): Pick<WorkProblem, 'reason' | 'message'> {
  return { reason, message }
}

function nameOf(meta: ManifestStatus['resourceMeta']): string | undefined {
  const { kind = '', resource = '', namespace = '', name = '' } = meta
  const what = kind === '' ? resource : kind
  return `${what} ${namespace === '' ? name : `${namespace}/${name}`}`.trim() || undefined
}
