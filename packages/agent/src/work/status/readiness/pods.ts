import { holds } from './conditions.js'
import type { Fields, Subject } from './fields.js'
import { podProblemOf, waitingText } from './pod-problem.js'
import { degradedForNow, failed, progressing, READY, type Readiness } from './types.js'

export function podReadiness(subject: Subject): Readiness {
  const { status, conditions } = subject
  const phase = status.text('phase') ?? 'Pending'
  if (phase === 'Succeeded') return READY
  if (phase === 'Failed') return failed(sentence('the pod has failed', status))
  if (phase === 'Running' && holds(subject, 'Ready')) return READY
  const problem = podProblemOf(subject)
  if (problem !== undefined) return problem.isPassing ? degradedForNow(problem.text) : failed(problem.text)
  const containers = [...status.items('initContainerStatuses'), ...status.items('containerStatuses')]
  const waiting = containers.map(waitingText).find((text) => text !== undefined)
  if (waiting !== undefined) return progressing(waiting)
  const scheduled = conditions.get('PodScheduled')
  if (scheduled?.status === 'False') {
    return progressing(`the pod is not scheduled${scheduled.message === undefined ? '' : `: ${scheduled.message}`}`)
  }
  return progressing(phase === 'Running' ? 'the pod is not ready' : `the pod is ${phase}`)
}

function sentence(what: string, about: Fields): string {
  return [what, about.text('reason'), about.text('message')].filter((part) => part !== undefined).join(': ')
}
