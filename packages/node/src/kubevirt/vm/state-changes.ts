import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { StateChangeRequest, VirtualMachine } from '../kinds/virtual-machine.js'

export const START = 'Start'
export const STOP = 'Stop'
/** The data of a start request for a guest that starts paused. */
export const PAUSED_DATA = { paused: 'true' } as const

type Requesting = Pick<VirtualMachine, 'status'>

/** Only the first request counts: the next one follows when it is done. */
function firstRequest({ status }: Requesting): StateChangeRequest | undefined {
  return status?.stateChangeRequests?.[0]
}

export function hasStartRequest(vm: Requesting): boolean {
  return firstRequest(vm)?.action === START
}

/** Returns whether the requested start is of a paused guest. */
export function startsPaused(vm: Requesting): boolean {
  return hasStartRequest(vm) && firstRequest(vm)?.data?.paused === PAUSED_DATA.paused
}

export function hasStopRequest(vm: Requesting, instance: VirtualMachineInstance): boolean {
  const request = firstRequest(vm)
  return request?.action === STOP && request.uid === instance.metadata.uid
}

/** Returns the requests without the first one if it is done. */
export function pendingRequests(
  requests: readonly StateChangeRequest[] | undefined,
  instance: VirtualMachineInstance | undefined,
): readonly StateChangeRequest[] | undefined {
  const [first, ...rest] = requests ?? []
  if (first === undefined || !isDone(first, instance)) return requests
  return rest.length === 0 ? undefined : rest
}

function isDone({ action, uid }: StateChangeRequest, instance: VirtualMachineInstance | undefined): boolean {
  // A stop names the instance to stop: another one is there only after that one is gone.
  if (action === STOP) return instance === undefined || uid !== instance.metadata.uid
  if (action !== START || instance === undefined) return false
  const { phase } = instance.status ?? {}
  return instance.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed'
}
