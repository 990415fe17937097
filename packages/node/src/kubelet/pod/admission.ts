import type { Pod } from '@orrery/kinds'
import { hasPortConflict, NO_FREE_PORTS } from '../../workloads/nodes/host-ports.js'
import { platformOf } from '../machine/machine.js'
import type { PodFacts } from './status.js'

/** Why this node does not take a pod in at all, whoever sent it here. `others` gives the pods that it has. */
export function refusalOf(pod: Pod, others: () => readonly Pod[]): PodFacts['failure'] {
  const { operatingSystem } = platformOf()
  if (pod.spec.os !== undefined && pod.spec.os.name !== operatingSystem) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
  }
  // One that was taken in before has its ports.
  if (pod.status?.startTime !== undefined || !hasPortConflict(pod, others)) return undefined
  return { reason: 'NodePorts', message: `Predicate NodePorts failed: ${NO_FREE_PORTS}` }
}
