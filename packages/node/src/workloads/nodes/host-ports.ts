import type { Pod } from '@orrery/kinds'
import { isFinished } from '../podstate.js'

/** The scheduler's message for such a conflict. */
export const NO_FREE_PORTS = "node(s) didn't have free ports for the requested pod ports"

interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

const EVERYWHERE = '0.0.0.0'

/** Returns whether a pod requests a host port that another pod on the node uses. */
export function hasPortConflict(pod: Pod, there: () => readonly Pod[]): boolean {
  const wanted = hostPortsOf(pod)
  if (wanted.length === 0) return false
  const taken = there()
    .filter((other) => !isFinished(other))
    .flatMap(hostPortsOf)
  return wanted.some((one) => taken.some((other) => collide(one, other)))
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  return [...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'), ...spec.containers]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort = 0, protocol = 'TCP', hostIP }) => ({ ip: hostIP || EVERYWHERE, protocol, port: hostPort }))
}

function collide(a: HostPort, b: HostPort): boolean {
  const sameAddress = a.ip === b.ip || a.ip === EVERYWHERE || b.ip === EVERYWHERE
  return a.port === b.port && a.protocol === b.protocol && sameAddress
}
