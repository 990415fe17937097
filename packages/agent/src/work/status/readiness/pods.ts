import { holds } from './conditions.js'
import type { Fields, Subject } from './fields.js'
import { failed, progressing, READY, type Readiness } from './types.js'

/** Reasons for a container to wait that the kubelet gives only after it has tried, or that trying cannot mend. */
const hopeless: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'ImagePullBackOff', 'InvalidImageName'])

export function podReadiness(subject: Subject): Readiness {
  const { status, conditions } = subject
  const phase = status.text('phase') ?? 'Pending'
  if (phase === 'Succeeded') return READY
  if (phase === 'Failed') return failed(sentence('the pod has failed', status))
  if (phase === 'Running' && holds(subject, 'Ready')) return READY
  const waiting = waitingContainers(status)
  const stuck = waiting.find(({ reason }) => hopeless.has(reason))
  if (stuck !== undefined) return failed(stuck.text)
  if (waiting[0] !== undefined) return progressing(waiting[0].text)
  const scheduled = conditions.get('PodScheduled')
  if (scheduled?.status === 'False') {
    return progressing(`the pod is not scheduled${scheduled.message === undefined ? '' : `: ${scheduled.message}`}`)
  }
  return progressing(phase === 'Running' ? 'the pod is not ready' : `the pod is ${phase}`)
}

function waitingContainers(status: Fields): { reason: string; text: string }[] {
  const containers = [...status.items('initContainerStatuses'), ...status.items('containerStatuses')]
  return containers.flatMap((container) => {
    const waiting = container.in('state').in('waiting')
    const reason = waiting.text('reason')
    if (reason === undefined) return []
    return [{ reason, text: sentence(`container ${container.text('name') ?? ''} is waiting`, waiting) }]
  })
}

function sentence(what: string, about: Fields): string {
  return [what, about.text('reason'), about.text('message')].filter((part) => part !== undefined).join(': ')
}
