import { Namespace } from '@orrery/kinds/core'
import type { KubeClient } from '@orrery/kube/client'
import type { VmStatus, VmTarget } from '../../wire/index.js'
import { type Execution, persistently } from '../execution/execution.js'
import { OperationError } from '../execution/operation-error.js'
import { NAMESPACE_LABELS } from '../names.js'
import { VirtualMachine, VirtualMachineInstance } from './kinds.js'
import { vmStatus } from './status.js'

export type Ref = Pick<VmTarget, 'namespace' | 'name'>

function refOf({ namespace, name }: Ref): Ref {
  return { namespace, name }
}

export function keyOf({ namespace, name }: Ref): string {
  return `${namespace}/${name}`
}

export interface Found {
  readonly vm: VirtualMachine
  readonly instance: VirtualMachineInstance | undefined
}

/** Reads and patches machines, for as long as the cluster's API needs. */
export class MachineAccess {
  readonly #client: KubeClient

  constructor(client: KubeClient) {
    this.#client = client
  }

  async patch(target: VmTarget, execution: Execution, patch: object): Promise<void> {
    await persistently(execution, `virtual machine "${keyOf(target)}" is not updated yet`, () =>
      this.#client.patch(VirtualMachine, refOf(target), patch, { signal: execution.signal }),
    )
  }

  /** Throws if the machine does not exist. */
  async statusOf(target: VmTarget, execution: Execution): Promise<VmStatus> {
    const vm = await this.find(target, execution)
    if (vm === undefined) throw noSuchMachine(target)
    return vmStatus(vm, await this.#instanceOf(target, execution), execution.clock.now().toISOString())
  }

  /** The machine and its instance. Throws if it does not exist, or is another one than the target. */
  async require(target: VmTarget, execution: Execution): Promise<Found> {
    await this.requireVdc(target.namespace, execution)
    const vm = await this.find(target, execution)
    if (vm === undefined) throw noSuchMachine(target)
    if (target.uid !== undefined && target.uid !== vm.metadata.uid) {
      throw new OperationError(
        'Conflict',
        `virtual machine "${keyOf(target)}" was replaced by another of the same name`,
      )
    }
    return { vm, instance: await this.#instanceOf(target, execution) }
  }

  find(target: VmTarget, execution: Execution): Promise<VirtualMachine | undefined> {
    return persistently(execution, `virtual machine "${keyOf(target)}" cannot be read`, () =>
      this.#client.find(VirtualMachine, refOf(target), { signal: execution.signal }),
    )
  }

  /** The instance that runs or is about to. One that has ended does not count. */
  async #instanceOf(target: VmTarget, execution: Execution): Promise<VirtualMachineInstance | undefined> {
    const instance = await persistently(execution, `the instance of "${keyOf(target)}" cannot be read`, () =>
      this.#client.find(VirtualMachineInstance, refOf(target), { signal: execution.signal }),
    )
    const phase = instance?.status?.phase
    return phase === 'Succeeded' || phase === 'Failed' ? undefined : instance
  }

  /** An agent touches machines only in the namespaces of data centers, whatever the hub asks for. */
  async requireVdc(namespace: string, execution: Execution): Promise<void> {
    const found = await persistently(execution, `namespace "${namespace}" cannot be read`, () =>
      this.#client.find(Namespace, { name: namespace }, { signal: execution.signal }),
    )
    if (found === undefined) {
      throw new OperationError(
        'NotFound',
        `namespace "${namespace}" does not exist: create its virtual data center first`,
      )
    }
    if (found.metadata.labels?.[NAMESPACE_LABELS.vdc] === undefined) {
      throw new OperationError('Forbidden', `namespace "${namespace}" is not a virtual data center of OVIM`)
    }
  }
}

function noSuchMachine(target: Ref): OperationError {
  return new OperationError('NotFound', `virtual machine "${keyOf(target)}" does not exist`)
}
