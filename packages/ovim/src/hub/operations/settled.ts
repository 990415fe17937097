import type { Informer, Informers } from '@orrery/kube'
import type { Operation } from '../../kinds/operation.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { phaseOf } from '../queue/operation-state.js'
import { type OperationOwner, sequenceOf } from './object-operations.js'

/**
 * Tells whether the object of a finished operation has recorded its result. Until then the operation must not be removed: the object
 * would look as if it had never been executed, and its controller would queue it again.
 */
export function settledOperations(informers: Informers): (operation: Operation) => boolean {
  const owners: Readonly<Record<string, Informer<OperationOwner>>> = {
    [VirtualMachineRequest.kind]: informers.of(VirtualMachineRequest),
    [VirtualDataCenter.kind]: informers.of(VirtualDataCenter),
  }
  return (operation) => {
    const { kind, namespace, name } = operation.spec.target
    const owner = owners[kind]?.get({ ...(namespace !== undefined && { namespace }), name })
    return owner === undefined || isSettled(owner, operation)
  }
}

/** Whether an object shows the state of an operation, or of a later one. Operations of other objects are of no concern to it. */
export function isSettled({ metadata, status }: OperationOwner, operation: Operation): boolean {
  if (operation.spec.target.uid !== metadata.uid) return true
  const recorded = status?.operation
  if (recorded === undefined) return false
  const sequence = sequenceOf(operation)
  return recorded.sequence > sequence || (recorded.sequence === sequence && recorded.phase === phaseOf(operation))
}
