import type { Container, ContainerStateTerminated, Pod } from '@orrery/kinds'
import type { ContainerRole } from './container-run.js'

/** Returns the role of a container in its pod. */
export function roleOf(container: Container, isInit: boolean): ContainerRole {
  if (!isInit) return 'main'
  return container.restartPolicy === 'Always' ? 'sidecar' : 'init'
}

/** Returns whether a container that ended is restarted. */
export function runsAgain(
  { spec }: Pod,
  container: Container,
  role: ContainerRole,
  { exitCode }: ContainerStateTerminated,
): boolean {
  if (role === 'sidecar') return true
  const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always'
  if (policy === 'Never') return false
  // An init container that succeeded is not restarted, whatever the restart policy of the pod.
  return exitCode !== 0 || (policy === 'Always' && role === 'main')
}
