import { isNotFound, keyOf } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { type Informer, Informers } from '@orrery/kube/informer'
import type { Logger } from '@orrery/kube/log'
import type { VmStatus } from '../../wire/index.js'
import { ChangeTimes } from '../lifecycle/change-times.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { MANAGED_BY_OVIM, VM_LABELS } from '../names.js'
import { VirtualMachine, VirtualMachineInstance } from './kinds.js'
import { vmStatus } from './status.js'

export interface VmManagerOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** Called when the status of a machine may have changed. */
  readonly onChange: (namespace: string, name: string) => void
}

interface Cache {
  readonly informers: Informers
  readonly machines: Informer<VirtualMachine>
  readonly instances: Informer<VirtualMachineInstance>
}

const SELECTION = { labelSelector: `${VM_LABELS.managedBy}=${MANAGED_BY_OVIM}` }

/** Knows all machines of OVIM on the cluster, by watching KubeVirt's objects. */
export class VmManager implements Component {
  readonly name = 'vm-manager'
  readonly critical = true
  readonly #options: VmManagerOptions
  readonly #changes: ChangeTimes<VmStatus>
  #cache: Cache | undefined

  constructor(options: VmManagerOptions) {
    this.#options = options
    this.#changes = new ChangeTimes(options.clock)
  }

  async start(signal: AbortSignal): Promise<void> {
    const { client, clock, log, onChange } = this.#options
    await requireKubeVirt(client, signal)
    const informers = new Informers(client, { clock, log })
    const machines = informers.of(VirtualMachine, SELECTION)
    const instances = informers.of(VirtualMachineInstance, SELECTION)
    this.#cache = { informers, machines, instances }
    for (const informer of [machines, instances]) {
      informer.subscribe(({ after, before }) => {
        const { namespace = '', name = '' } = (after ?? before)?.metadata ?? {}
        if (this.#changes.note(keyOf({ namespace, name }), this.#find(namespace, name))) onChange(namespace, name)
      })
    }
    await informers.whenSynced(signal)
  }

  async stop(): Promise<void> {
    await this.#cache?.informers.close()
    this.#cache = undefined
  }

  health(): ComponentHealth {
    if (this.#cache?.machines.synced === true) return HEALTHY
    return { status: 'critical', message: 'the machines of the cluster are not known yet' }
  }

  /** The machines of the cluster. */
  list(): VmStatus[] {
    const machines = this.#cache?.machines.list() ?? []
    return machines.map((vm) => ({ ...this.#statusOf(vm), updated_at: this.#changes.of(keyOf(vm.metadata)) }))
  }

  #find(namespace: string, name: string): VmStatus | undefined {
    const vm = this.#cache?.machines.get({ namespace, name })
    return vm && this.#statusOf(vm)
  }

  #statusOf(vm: VirtualMachine): VmStatus {
    const { namespace, name } = vm.metadata
    return vmStatus(vm, this.#cache?.instances.get({ namespace, name }), '')
  }
}

async function requireKubeVirt(client: KubeClient, signal: AbortSignal): Promise<void> {
  try {
    await client.getJson('/apis/kubevirt.io/v1', { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new Error('KubeVirt is not installed on this cluster: kubevirt.io/v1 is not served. Install KubeVirt')
  }
}
