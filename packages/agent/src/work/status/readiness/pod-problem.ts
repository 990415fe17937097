import type { ConditionFields, Fields, Subject } from './fields.js'

/** A problem that keeps a pod from being ready. */
export interface PodProblem {
  readonly text: string
  /** Whether it may resolve by itself: an image may appear, a node may get free capacity. */
  readonly isPassing: boolean
  /** The container that has crashed; undefined if none has. */
  readonly container?: string
}

/** Reasons for a waiting container that the kubelet sets only after retries, or that a retry cannot solve. */
const hopeless: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
])
/** Reasons that the kubelet sets at the first failure, before it retries. */
const hopeful: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreStartHookError',
  'PostStartHookError',
])

/** The worst problem of a pod that is not ready; undefined if it is only starting. */
export function podProblemOf({ status, conditions }: Subject): PodProblem | undefined {
  const containers = [...status.items('initContainerStatuses'), ...status.items('containerStatuses')]
  const problems = containers.flatMap((container) => containerProblem(container) ?? [])
  return problems.find(({ isPassing }) => !isPassing) ?? problems[0] ?? unscheduled(conditions.get('PodScheduled'))
}

/** `container app is waiting: ImagePullBackOff: Back-off pulling image "nope"`, for a waiting container. */
export function waitingText(container: Fields): string | undefined {
  const waiting = container.in('state').in('waiting')
  const reason = waiting.text('reason')
  if (reason === undefined) return undefined
  // The kubelet's message has the delay and the pod, which change with each crash, and not the cause.
  const why = (reason === 'CrashLoopBackOff' ? crashOf(container) : undefined) ?? waiting.text('message')
  return said(`container ${container.text('name') ?? ''} is waiting`, reason, why)
}

function containerProblem(container: Fields): PodProblem | undefined {
  const reason = container.in('state').in('waiting').text('reason')
  const text = waitingText(container)
  if (reason !== undefined && text !== undefined) {
    if (hopeless.has(reason)) return { text, isPassing: false, ...crashedName(container) }
    return hopeful.has(reason) ? { text, isPassing: true } : undefined
  }
  if (container.isTrue('ready')) return undefined
  const crash = crashOf(container)
  return crash === undefined
    ? undefined
    : { text: `container ${container.text('name') ?? ''}: ${crash}`, isPassing: true, ...crashedName(container) }
}

function crashedName(container: Fields): Pick<PodProblem, 'container'> {
  const name = container.text('name')
  return name === undefined || crashOf(container) === undefined ? {} : { container: name }
}

/** The exit of a container that crashed: `exited with code 1 (Error), 3 restarts`. */
function crashOf(container: Fields): string | undefined {
  const now = container.in('state').in('terminated')
  const ended = now.number('exitCode', undefined) === undefined ? container.in('lastState').in('terminated') : now
  const code = ended.number('exitCode', 0)
  if (code === 0) return undefined
  const reason = ended.text('reason')
  const restarts = container.number('restartCount', 0)
  const again = restarts === 0 ? '' : `, ${restarts} restart${restarts === 1 ? '' : 's'}`
  return `exited with code ${code}${reason === undefined ? '' : ` (${reason})`}${again}`
}

function unscheduled(scheduled: ConditionFields | undefined): PodProblem | undefined {
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined
  return { text: said('the pod is not scheduled', scheduled.reason, scheduled.message), isPassing: true }
}

function said(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(': ')
}
