import type { Pod } from '@orrery/kube/kinds'
import { platformOf } from '../machine/machine.js'
import type { PodFacts } from './status.js'

/** Why this node does not take a pod in at all, whoever sent it here. */
export function refusalOf({ spec }: Pod): PodFacts['failure'] {
  const { operatingSystem } = platformOf()
  if (spec.os === undefined || spec.os.name === operatingSystem) return undefined
  return {
    reason: 'PodOSNotSupported',
    message: "Failed to admit pod as the OS field doesn't match node OS",
  }
}
