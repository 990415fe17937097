import type { Informer, Informers } from '@orrery/kube'
import type { OperationSummary } from '../../kinds/operation-summary.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { operationName, operationOwnerKey } from './operation-name.js'

type Owner = VirtualMachineRequest | VirtualDataCenter

const BY_OPERATION_OWNER = 'operation-owner'

/** Knows the name of the next operation of an object before it exists, so that clients can follow it from the start. */
export class OperationForecast {
  readonly #owners: readonly Informer<Owner>[]

  constructor(informers: Informers) {
    this.#owners = [
      informers.of(VirtualMachineRequest),
      informers.of(VirtualDataCenter),
    ] as unknown as Informer<Owner>[]
    for (const informer of this.#owners) informer.addIndex(BY_OPERATION_OWNER, ownerKeys)
  }

  /** The name of the operation that follows the last one of an object. */
  nextName({ metadata, status }: { metadata: { uid: string }; status?: { operation?: OperationSummary } }): string {
    return operationName(metadata.uid, (status?.operation?.sequence ?? 0) + 1)
  }

  /** The object whose next operation has this name, if it does not exist yet. */
  ownerOf(namespace: string, name: string): Owner | undefined {
    const key = operationOwnerKey(name)
    if (key === undefined) return undefined
    const owners = this.#owners.flatMap((informer) => informer.byIndex(BY_OPERATION_OWNER, key))
    return owners.find((owner) => owner.metadata.namespace === namespace && this.nextName(owner) === name)
  }
}

function ownerKeys({ metadata }: Owner): string[] {
  const key = operationOwnerKey(operationName(metadata.uid, 1))
  return key === undefined ? [] : [key]
}
