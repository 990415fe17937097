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
  /** The logs that show more; undefined if there are none. */
  readonly logs?: CrashedContainer
}

/** A container that crashes, in a pod of a cluster. */
export interface CrashedContainer {
  readonly cluster: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** How the agent reports a container in CrashLoopBackOff, and its pod, unless that is the manifest itself. */
const CRASH_LOOP =
  /(?:^|: )(?:pod (?<pod>[\da-z.-]+)(?: and \d+ more)?: )?container (?<container>[\da-z-]+) is waiting: CrashLoopBackOff\b/
const NAME = /^[\da-z.-]+$/

/** A running agent reports within this time what is left to delete, in milliseconds. */
const ANSWERED_WITHIN = 5_000

const NOT_ANSWERED = 'the agent of the cluster has not answered yet: run `orrery get clusters` to see its state'

export interface ProblemOptions {
  /** Milliseconds since the epoch. Default: the current time. */
  readonly now?: number
  /** The message for a work that is being deleted, if its agent has not reported anything. */
  readonly notAnswered?: string
  /** The message for a work without a status, if its agent has had time to report one. Default: this is no problem. */
  readonly notReported?: string
}

/** The problems of a work, in order of its manifests, with the agent's messages. */
export function problemsOf(
  work: ManifestWork,
  { now = Date.now(), notAnswered = NOT_ANSWERED, notReported }: ProblemOptions = {},
): WorkProblem[] {
  const { conditions, resourceStatus } = work.status ?? {}
  const deleting = findCondition(conditions, WorkCondition.Deleting)
  const ofManifests = (resourceStatus?.manifests ?? [])
    .toSorted((a, b) => a.resourceMeta.ordinal - b.resourceMeta.ordinal)
    .flatMap((manifest) => manifestProblems(work.metadata.namespace ?? '', manifest))
  if (work.metadata.deletionTimestamp !== undefined) {
    const silent = isLate(work.metadata.deletionTimestamp, now)
      ? { reason: 'Deleting', message: notAnswered }
      : undefined
    const why = deleting?.status === 'True' ? said(deleting) : silent
    return why === undefined ? [] : [{ manifest: undefined, number: undefined, ...why }]
  }
  if (ofManifests.length > 0) return ofManifests
  const hasStatus = conditions !== undefined && conditions.length > 0
  if (notReported !== undefined && !hasStatus && isLate(work.metadata.creationTimestamp, now)) {
    return [{ manifest: undefined, number: undefined, reason: 'NoStatus', message: notReported }]
  }
  const applied = findCondition(conditions, WorkCondition.Applied)
  return applied?.status === 'False' ? [{ manifest: undefined, number: undefined, ...said(applied) }] : []
}

/** Whether a running agent would have reported by now what it does since a time. */
function isLate(since: string | undefined, now: number): boolean {
  return since !== undefined && now - Date.parse(since) > ANSWERED_WITHIN
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
  const logs = crashedContainer(cluster, resourceMeta, found.message)
  return [
    {
      manifest: nameOf(resourceMeta),
      number: resourceMeta.ordinal + 1,
      ...said(found),
      ...(logs !== undefined && { logs }),
    },
  ]
}

/** The container that crashes. Agents write the status, and users copy the command with it, so only valid names get into it. */
function crashedContainer(
  cluster: string,
  { kind, namespace = '', name = '' }: ManifestStatus['resourceMeta'],
  message = '',
): CrashedContainer | undefined {
  const { container, pod = kind === 'Pod' ? name : undefined } = CRASH_LOOP.exec(message)?.groups ?? {}
  if (container === undefined || pod === undefined || !NAME.test(pod) || !NAME.test(namespace)) return undefined
  return { cluster, namespace, pod, container }
}

/** The command that shows why a container has crashed. */
export function logsCommand({ cluster, namespace, pod, container }: CrashedContainer): string {
  return `kubectl --context ${cluster} -n ${namespace} logs ${pod} -c ${container} --previous`
}

/** The text of a problem: the manifest, the reason, and the command that shows more. */
export function problemText({ logs, ...problem }: WorkProblem): string {
  return `${shortText(problem)}${logs === undefined ? '' : `: read the logs with \`${logsCommand(logs)}\``}`
}

/** The text of a problem without the command. */
export function shortText({ manifest, number, reason, message }: WorkProblem): string {
  const which = number === undefined ? '' : `manifest ${number}${manifest === undefined ? '' : ` (${manifest})`} `
  return `${which}${reason}: ${message}`
}

function said({ reason = '', message = '' }: Condition): Pick<WorkProblem, 'reason' | 'message'> {
  return { reason, message }
}

function nameOf(meta: ManifestStatus['resourceMeta']): string | undefined {
  const { kind = '', resource = '', namespace = '', name = '' } = meta
  const what = kind === '' ? resource : kind
  return `${what} ${namespace === '' ? name : `${namespace}/${name}`}`.trim() || undefined
}
