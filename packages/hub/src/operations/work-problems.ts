import { ManifestCondition, type ManifestStatus, type ManifestWork, WorkCondition } from '@orrery/api'
import type { Condition } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'

/** A problem of a work, or of one of its manifests. */
export interface WorkProblem {
  /** `Deployment shop/web`; undefined if it is about the whole work, or not known. */
  readonly manifest: string | undefined
  /** The position of the manifest in the work, from 1; undefined if it is about the whole work. */
  readonly number: number | undefined
  readonly reason: string
  readonly message: string
  /** A command that shows more; undefined if there is none. */
  readonly command?: string
}

/** How the agent reports a container in CrashLoopBackOff, and its pod, unless that is the manifest itself. */
const CRASH_LOOP =
  /(?:^|: )(?:pod (?<pod>[\da-z.-]+)(?: and \d+ more)?: )?container (?<container>[\da-z-]+) is waiting: CrashLoopBackOff\b/
const NAME = /^[\da-z.-]+$/

/** A running agent reports within this time what is left to delete, in milliseconds. */
const ANSWERED_WITHIN = 5_000

const NOT_ANSWERED = {
  reason: 'Deleting',
  message: 'the agent of the cluster has not answered yet: run `orrery get clusters` to see its state',
}

/** The problems of a work, in order of its manifests, with the agent's messages. */
export function problemsOf(work: ManifestWork, now = Date.now()): WorkProblem[] {
  const { conditions, resourceStatus } = work.status ?? {}
  const deleting = findCondition(conditions, WorkCondition.Deleting)
  const ofManifests = (resourceStatus?.manifests ?? [])
    .toSorted((a, b) => a.resourceMeta.ordinal - b.resourceMeta.ordinal)
    .flatMap((manifest) => manifestProblems(work.metadata.namespace ?? '', manifest))
  if (work.metadata.deletionTimestamp !== undefined) {
    const isLate = now - Date.parse(work.metadata.deletionTimestamp) > ANSWERED_WITHIN
    const why = deleting?.status === 'True' ? said(deleting) : isLate ? NOT_ANSWERED : undefined
    return why === undefined ? [] : [{ manifest: undefined, number: undefined, ...why }]
  }
  if (ofManifests.length > 0) return ofManifests
  const applied = findCondition(conditions, WorkCondition.Applied)
  return applied?.status === 'False' ? [{ manifest: undefined, number: undefined, ...said(applied) }] : []
}

/** A manifest that is not applied is not available either, so only the first problem of each manifest counts. */
function manifestProblems(cluster: string, { resourceMeta, conditions }: ManifestStatus): WorkProblem[] {
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
  const command = logsCommand(cluster, resourceMeta, found.message)
  return [
    {
      manifest: nameOf(resourceMeta),
      number: resourceMeta.ordinal + 1,
      ...said(found),
      ...(command !== undefined && { command }),
    },
  ]
}

/**
 * The command that shows why a container crashes. Agents write the status, and users copy the command, so only valid names get
 * into it.
 */
function logsCommand(
  cluster: string,
  { kind, namespace = '', name = '' }: ManifestStatus['resourceMeta'],
  message = '',
): string | undefined {
  const { container, pod = kind === 'Pod' ? name : undefined } = CRASH_LOOP.exec(message)?.groups ?? {}
  if (container === undefined || pod === undefined || !NAME.test(pod) || !NAME.test(namespace)) return undefined
  return `kubectl --context ${cluster} -n ${namespace} logs ${pod} -c ${container} --previous`
}

/** The text of a problem: the manifest, the reason, and the command that shows more. */
export function problemText({ manifest, number, reason, message, command }: WorkProblem): string {
  const which = number === undefined ? '' : `manifest ${number}${manifest === undefined ? '' : ` (${manifest})`} `
  return `${which}${reason}: ${message}${command === undefined ? '' : `: read the logs with \`${command}\``}`
}

function said({ reason = '', message = '' }: Condition): Pick<WorkProblem, 'reason' | 'message'> {
  return { reason, message }
}

function nameOf(meta: ManifestStatus['resourceMeta']): string | undefined {
  const { kind = '', resource = '', namespace = '', name = '' } = meta
  const what = kind === '' ? resource : kind
  return `${what} ${namespace === '' ? name : `${namespace}/${name}`}`.trim() || undefined
}
