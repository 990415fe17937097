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
  const taken = new Map<string, Set<string>>()
  for (const other of there()) {
    if (isFinished(other)) continue
    for (const one of hostPortsOf(other)) {
      const addresses = taken.get(keyOf(one))
      if (addresses === undefined) taken.set(keyOf(one), new Set([one.ip]))
      else addresses.add(one.ip)
    }
  }
  return wanted.some((one) => {
    const addresses = taken.get(keyOf(one))
    return addresses !== undefined && (one.ip === EVERYWHERE || addresses.has(EVERYWHERE) || addresses.has(one.ip))
  })
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  return [...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'), ...spec.containers]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort = 0, protocol = 'TCP', hostIP }) => ({ ip: hostIP || EVERYWHERE, protocol, port: hostPort }))
}

/** Pods can have thousands of ports, so they are looked up and not compared with each other. */
function keyOf({ protocol, port }: HostPort): string {
  return `${protocol}/${port}`
}
