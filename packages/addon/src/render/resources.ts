import type { ContainerResources } from '@orrery/api'

/** A container, as `containerID` of an AddOnDeploymentConfig names it. */
export interface ContainerName {
  /** The plural name of the workload's kind: `deployments`. */
  readonly resource: string
  readonly name: string
  readonly container: string
}

/** The compute resources of a container. If several entries match it, the last one applies. */
export function containerResources(
  requirements: readonly ContainerResources[],
  { resource, name, container }: ContainerName,
): ContainerResources['resources'] | undefined {
  const matches = ({ containerID }: ContainerResources) => {
    const [resources = '', names = '', containers = ''] = containerID.split(':')
    return matchesPattern(resources, resource) && matchesPattern(names, name) && matchesPattern(containers, container)
  }
  return requirements.findLast(matches)?.resources
}

/** The regular expression of a `containerID`, for templates: `deployments:*:agent` becomes `^deployments:.+:agent$`. */
export function containerIdRegex(containerID: string): string {
  return `^${containerID
    .split(':')
    .map((part) => (part === '*' ? '.+' : part))
    .join(':')}$`
}

/** Whether an asterisk of the pattern can stand for what the text has there. */
function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at < 0 || at + part.length > text.length - last.length) return false
    from = at + part.length
  }
  return true
}
