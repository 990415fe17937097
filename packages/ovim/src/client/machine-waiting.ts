import type { KubeClient } from '@orrery/kube'
import { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { organizationNamespace } from '../wire/vdc-payloads.js'
import type { Explanation } from './explanation.js'
import { type FollowOptions, follow } from './following.js'
import { explainMachine } from './machine-explanation.js'

/** The first failure may pass: the hub repeats the operation. */
const FAILURES = 2

/** Waits until a virtual machine is as requested, or will not be: refused, failed twice in a row, or deleted. */
export function whenMachineSettled(
  client: KubeClient,
  organization: string,
  name: string,
  options: FollowOptions,
): Promise<Explanation> {
  const ref = { namespace: organizationNamespace(organization), name }
  return follow(
    client,
    VirtualMachineRequest,
    ref,
    (request, zones) => {
      if (request === undefined || request.metadata.deletionTimestamp !== undefined) {
        return { explanation: { state: 'refused', text: 'was deleted' }, isOver: true }
      }
      const explanation = explainMachine(request, zones, new Date())
      const isFailed = explanation.state === 'failed' && (request.status?.operation?.failures ?? 0) >= FAILURES
      return { explanation, isOver: isFailed || ['as-requested', 'refused'].includes(explanation.state) }
    },
    options,
  )
}

/** Waits until a virtual machine is gone. */
export function whenMachineGone(
  client: KubeClient,
  organization: string,
  name: string,
  options: FollowOptions,
): Promise<Explanation> {
  const ref = { namespace: organizationNamespace(organization), name }
  return follow(
    client,
    VirtualMachineRequest,
    ref,
    (request, zones) =>
      request === undefined
        ? { explanation: { state: 'as-requested', text: 'is deleted' }, isOver: true }
        : { explanation: explainMachine(request, zones, new Date()), isOver: false },
    options,
  )
}
