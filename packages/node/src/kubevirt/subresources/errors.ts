import { conflict, notFound, type StatusError } from '@orrery/kinds/values'
import { KUBEVIRT_GROUP } from '../names.js'

/** Errors name the resources in the singular, as KubeVirt does: clients compare the text. */
const VM = { group: KUBEVIRT_GROUP, resource: 'virtualmachine' }
const INSTANCE = { group: KUBEVIRT_GROUP, resource: 'virtualmachineinstance' }

export const VM_NOT_RUNNING = 'VM is not running'
export const INSTANCE_NOT_RUNNING = 'VMI is not running'

export function noVm(name: string): StatusError {
  return notFound(VM, name)
}

export function noInstance(name: string): StatusError {
  return notFound(INSTANCE, name)
}

export function vmConflict(name: string, why: string): StatusError {
  return conflict(VM, name, why)
}

export function instanceConflict(name: string, why: string): StatusError {
  return conflict(INSTANCE, name, why)
}

export const INSTANCE_RESOURCE = INSTANCE
