import type { Pod } from '@orrery/kinds'
import { hasPortConflict, NO_FREE_PORTS } from '../../workloads/nodes/host-ports.js'
import { platformOf } from '../machine/machine.js'
import type { PodFacts } from './status.js'

/** Returns why the node rejects a pod at admission (kubelet admit handlers). `others` returns the pods of the node. */
export function refusalOf(pod: Pod, others: () => readonly Pod[]): PodFacts['failure'] {
  const { operatingSystem } = platformOf()
  if (pod.spec.os !== undefined && pod.spec.os.name !== operatingSystem) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
  }
  // A pod that was admitted before keeps its ports.
  if (pod.status?.startTime !== undefined || !hasPortConflict(pod, others)) return undefined
  return { reason: 'NodePorts', message: `Predicate NodePorts failed: ${NO_FREE_PORTS}` }
}
