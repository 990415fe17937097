import type {
  ContainerStatus,
  Job,
  Pod,
  PodFailurePolicyAction,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '@orrery/kinds'

/** What the pod failure policy decides for a failed pod. */
export interface FailurePolicyMatch {
  readonly action: PodFailurePolicyAction
  /** The message of the `Failed` condition, if the Job fails. */
  readonly message: string
}

/** Applies the first matching rule to a failed pod. Without a match, the failure counts. */
export function matchFailurePolicy(pod: Pod, { spec }: Job): FailurePolicyMatch {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const cause = causeIn(pod, rule)
    if (cause === undefined) continue
    return { action: rule.action, message: `${cause} matching ${rule.action} rule at index ${index}` }
  }
  return { action: 'Count', message: '' }
}

function causeIn({ metadata, status }: Pod, { onExitCodes, onPodConditions }: PodFailurePolicyRule) {
  const which = `${metadata.namespace}/${metadata.name}`
  if (onExitCodes !== undefined) {
    const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
    const container = statuses.find((one) => hasExitCode(one, onExitCodes))
    if (container === undefined) return undefined
    const { exitCode } = container.state?.terminated ?? {}
    return `Container ${container.name} for pod ${which} failed with exit code ${exitCode}`
  }
  const condition = status?.conditions?.find((one) =>
    onPodConditions?.some(({ type, status: wanted = 'True' }) => one.type === type && one.status === wanted),
  )
  return condition && `Pod ${which} has condition ${condition.type}`
}

function hasExitCode(
  { name, state }: ContainerStatus,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode ?? 0
  if (code === 0 || (containerName !== undefined && containerName !== name)) return false
  return values.includes(code) === (operator === 'In')
}
