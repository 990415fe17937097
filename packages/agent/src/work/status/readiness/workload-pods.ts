import type { DynamicObject } from '@orrery/kube/discovery'
import { holds } from './conditions.js'
import { subjectOf } from './fields.js'
import { type PodProblem, podProblemOf } from './pod-problem.js'
import { degradedForNow, failed, progressing, type Readiness } from './types.js'

/** The pods of the latest revision of a workload, or why a work may not read them. */
export type PodsView =
  | { readonly state: 'known'; readonly pods: readonly DynamicObject[] }
  | { readonly state: 'refused'; readonly message: string }

export interface NamedProblem extends PodProblem {
  readonly pod: string
}

/** The readiness of a workload, with the problem of its pods if it is not ready. */
export function withPods(readiness: Readiness, kind: string, view: PodsView | undefined): Readiness {
  const { progressing: unfinished, degraded } = readiness
  if (unfinished === undefined || view === undefined) return readiness
  if (view.state === 'refused') {
    return degraded === undefined ? progressing(`${unfinished}; its pods: ${view.message}`) : readiness
  }
  const problems = view.pods.flatMap((pod) => problemIn(pod) ?? [])
  const worst = problems.find(({ isPassing }) => !isPassing) ?? problems[0]
  if (worst === undefined) return readiness
  const others = problems.length - 1
  const text = `${unfinished}: pod ${worst.pod}${others === 0 ? '' : ` and ${others} more`}: ${worst.text}`
  // A Job itself decides how often it retries.
  const isPassing = worst.isPassing || kind === 'Job'
  return isPassing && degraded === undefined ? degradedForNow(text) : failed(text)
}

/**
 * The problem of a pod that is not ready. Pods that are terminating or finished are replaced by others, which count instead.
 */
export function problemIn(pod: DynamicObject): NamedProblem | undefined {
  const subject = subjectOf(pod)
  const phase = subject.status.text('phase')
  const isOver = pod.metadata.deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Succeeded'
  if (isOver || holds(subject, 'Ready')) return undefined
  const problem = podProblemOf(subject)
  return problem && { ...problem, pod: pod.metadata.name }
}
