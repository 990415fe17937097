import type { Container, ContainerStateTerminated, Pod } from '@orrery/kinds'
import type { ContainerRole } from './container-run.js'

/** What a container is to its pod. */
export function roleOf(container: Container, isInit: boolean): ContainerRole {
  if (!isInit) return 'main'
  return container.restartPolicy === 'Always' ? 'sidecar' : 'init'
}

/** Whether a container that ended is to run again. */
export function runsAgain(
  { spec }: Pod,
  container: Container,
  role: ContainerRole,
  { exitCode }: ContainerStateTerminated,
): boolean {
  if (role === 'sidecar') return true
  const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always'
  if (policy === 'Never') return false
  // An init container that did its work has done it, whatever the policy of the others.
  return exitCode !== 0 || (policy === 'Always' && role === 'main')
}
