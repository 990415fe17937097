import type { Informer } from '@orrery/kube'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'

const ON_CLUSTER = 'on-cluster'
const IN_ZONE = 'zone'

/** Finds the objects of the hub by what agents report. */
export class ZoneObjects {
  readonly #requests: Informer<VirtualMachineRequest>
  readonly #vdcs: Informer<VirtualDataCenter>

  constructor(requests: Informer<VirtualMachineRequest>, vdcs: Informer<VirtualDataCenter>) {
    this.#requests = requests
    this.#vdcs = vdcs
    requests.addIndex(ON_CLUSTER, machineOnCluster)
    requests.addIndex(IN_ZONE, zoneOfMachine)
    vdcs.addIndex(ON_CLUSTER, vdcOnCluster)
  }

  request(zone: string, namespace: string, name: string): VirtualMachineRequest | undefined {
    return this.#requests.byIndex(ON_CLUSTER, key(zone, namespace, name))[0]
  }

  requestsIn(zone: string): readonly VirtualMachineRequest[] {
    return this.#requests.byIndex(IN_ZONE, zone)
  }

  vdc(zone: string, workloadNamespace: string): VirtualDataCenter | undefined {
    return this.#vdcs.byIndex(ON_CLUSTER, key(zone, workloadNamespace, ''))[0]
  }
}

function key(zone: string, namespace: string, name: string): string {
  return `${zone}/${namespace}/${name}`
}

/** The functions of the indexes: the same for all users of an informer. */
function machineOnCluster({
  status: { zone = '', namespace = '', vmName = '' } = {},
}: VirtualMachineRequest): string[] {
  return zone === '' || vmName === '' ? [] : [key(zone, namespace, vmName)]
}

function zoneOfMachine({ status }: VirtualMachineRequest): string[] {
  return status?.zone === undefined ? [] : [status.zone]
}

function vdcOnCluster({ status: { zone = '', workloadNamespace = '' } = {} }: VirtualDataCenter): string[] {
  return zone === '' || workloadNamespace === '' ? [] : [key(zone, workloadNamespace, '')]
}
