import type { StatusError } from '@orrery/kinds/values'
import type { DataVolume } from './kinds/data-volume.js'
import type { InstanceStatus, VirtualMachineInstance } from './kinds/instance.js'
import type { InstanceSpec } from './kinds/instance-spec.js'
import type { VirtualMachine, VirtualMachineStatus } from './kinds/virtual-machine.js'

export const NOW = new Date('2030-01-01T00:00:00Z')

const stored = { namespace: 'default', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' }

export function specOf(more: Partial<InstanceSpec> = {}): InstanceSpec {
  return {
    domain: {
      memory: { guest: '1Gi' },
      devices: {
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        interfaces: [{ name: 'default', masquerade: {} }],
      },
    },
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'root', containerDisk: { image: 'example.com/disk:1' } }],
    ...more,
  }
}

export function vmOf(
  runStrategy: string,
  status: VirtualMachineStatus = {},
  more: { readonly deletionTimestamp?: string } = {},
): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { ...stored, name: 'vm', uid: 'vm-uid', generation: 1, ...more },
    spec: { runStrategy, template: { spec: specOf() } },
    status,
  }
}

export function instanceOf(
  phase: string,
  status: InstanceStatus = {},
  more: Partial<VirtualMachineInstance['metadata']> = {},
  spec: Partial<InstanceSpec> = {},
): VirtualMachineInstance {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { ...stored, name: 'vm', uid: 'vmi-uid', ...more },
    spec: specOf(spec),
    status: { phase, ...status },
  }
}

export function dataVolumeOf(phase: string, annotations: Record<string, string> = {}): DataVolume {
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { ...stored, name: 'root', uid: 'dv-uid', annotations },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
    status: { phase },
  }
}

/** Returns the error of a refusal. */
export function refusalOf(run: () => unknown): StatusError {
  try {
    run()
  } catch (error) {
    return error as StatusError
  }
  throw new Error('it was not refused')
}
