import { ControllerRevision, PersistentVolumeClaim, type Pod, ResourceQuota, StorageClass } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import { WorkloadContext, type WorkloadOptions } from '../workloads/context.js'
import { DataVolume } from './kinds/data-volume.js'
import { VirtualMachineInstance } from './kinds/instance.js'
import { VirtualMachine } from './kinds/virtual-machine.js'
import type { Machines } from './machine/machines.js'
import type { Transfers } from './machine/transfers.js'

export interface KubevirtOptions extends WorkloadOptions {
  /** The machines of the instances. */
  readonly machines: Machines
  /** Fills the volumes of DataVolumes. Undefined: all transfers are played. */
  readonly transfers?: Transfers | undefined
  /** The node that runs the machines. */
  readonly nodeName: string
  /** Returns a number from 0 to 1, for delays. Defaults to `Math.random`. */
  readonly random?: () => number
}

/** The context that the controllers of KubeVirt share. */
export class KubevirtContext extends WorkloadContext {
  readonly machines: Machines
  readonly transfers: Transfers | undefined
  readonly nodeName: string
  readonly random: () => number
  readonly vms: Informer<VirtualMachine>
  readonly instances: Informer<VirtualMachineInstance>
  readonly dataVolumes: Informer<DataVolume>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly storageClasses: Informer<StorageClass>
  readonly revisions: Informer<ControllerRevision>
  readonly quotas: Informer<ResourceQuota>
  readonly launcherPods: Informer<Pod>

  constructor({ machines, transfers, nodeName, random = Math.random, ...options }: KubevirtOptions) {
    super(options)
    this.machines = machines
    this.transfers = transfers
    this.nodeName = nodeName
    this.random = random
    const { informers } = this
    this.vms = informers.of(VirtualMachine)
    this.instances = informers.of(VirtualMachineInstance)
    this.dataVolumes = informers.of(DataVolume)
    this.claims = informers.of(PersistentVolumeClaim)
    this.storageClasses = informers.of(StorageClass)
    this.revisions = informers.of(ControllerRevision)
    this.quotas = informers.of(ResourceQuota)
    this.launcherPods = this.pods
  }
}
