import type { Disk, InstanceSpec, Volume } from '../kinds/instance-spec.js'
import type { VirtualMachineSpec } from '../kinds/virtual-machine.js'

const ARCHITECTURES: Readonly<Record<string, string>> = { arm64: 'arm64', s390x: 's390x' }
const MACHINES: Readonly<Record<string, string>> = { arm64: 'virt', s390x: 's390-ccw-virtio' }
const DEFAULT_NETWORK = 'default'

/** Returns the spec of a VirtualMachine with the architecture and the machine type of its guest. */
export function withMachineDefaults(spec: VirtualMachineSpec): VirtualMachineSpec {
  return { ...spec, template: { ...spec.template, spec: withMachineType(spec.template.spec) } }
}

/** Returns the spec of an instance with all defaults. */
export function withInstanceDefaults(given: InstanceSpec): InstanceSpec {
  const spec = withMachineType(given)
  const { cpu, memory, resources, features, devices } = spec.domain
  const requests = {
    ...(resources?.limits?.cpu !== undefined && { cpu: resources.limits.cpu }),
    ...resources?.requests,
  }
  const hasTopology = (cpu?.sockets ?? 0) + (cpu?.cores ?? 0) + (cpu?.threads ?? 0) > 0
  const vcpus = resources?.limits?.cpu ?? requests.cpu
  const sockets = vcpus === undefined ? 1 : Math.max(1, Math.ceil(Number.parseFloat(coresText(vcpus))))
  const isBare = hasNoNetwork(spec)
  const guest = memory?.guest ?? resources?.requests?.memory ?? resources?.limits?.memory
  return {
    ...spec,
    ...(spec.volumes !== undefined && { volumes: spec.volumes.map(withPullPolicy) }),
    domain: {
      ...spec.domain,
      ...(Object.keys(requests).length > 0 && { resources: { ...resources, requests } }),
      cpu: { model: 'host-model', ...cpu, ...(!hasTopology && { sockets, cores: 1, threads: 1 }) },
      memory: { ...memory, ...(guest !== undefined && { guest }) },
      features: { ...features, acpi: { enabled: true, ...features?.acpi } },
      devices: {
        ...devices,
        disks: disksOf(spec),
        ...(isBare && { interfaces: [{ name: DEFAULT_NETWORK, bridge: {} }] }),
      },
    },
    ...(isBare && { networks: [{ name: DEFAULT_NETWORK, pod: {} }] }),
  }
}

function withMachineType(spec: InstanceSpec): InstanceSpec {
  const { architecture = ARCHITECTURES[process.arch] ?? 'amd64' } = spec
  const type = spec.domain.machine?.type || (MACHINES[architecture] ?? 'q35')
  return { ...spec, architecture, domain: { ...spec.domain, machine: { ...spec.domain.machine, type } } }
}

/** Quantities of CPUs are mostly whole numbers or thousandths. */
function coresText(quantity: string | number): string {
  const text = String(quantity)
  return text.endsWith('m') ? String(Number(text.slice(0, -1)) / 1_000) : text
}

function withPullPolicy(volume: Volume): Volume {
  const { containerDisk } = volume
  if (containerDisk === undefined || containerDisk.imagePullPolicy !== undefined) return volume
  const isLatest = containerDisk.image.endsWith(':latest') || !/[:@]/.test(containerDisk.image)
  return { ...volume, containerDisk: { ...containerDisk, imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent' } }
}

/** Every volume is a disk of the guest, unless it is a file system of it. */
function disksOf({ domain, volumes = [] }: InstanceSpec): Disk[] {
  const { disks = [], filesystems = [] } = domain.devices
  const shown = new Set([...disks.map(({ name }) => name), ...filesystems.map(({ name }) => name)])
  const bus = domain.machine?.type === 's390-ccw-virtio' ? 'virtio' : 'sata'
  const missing = volumes.filter(({ name }) => !shown.has(name)).map(({ name }) => ({ name }))
  return [...disks, ...missing].map((disk: Disk) => {
    if (disk.lun !== undefined || disk.cdrom !== undefined) return disk
    return { ...disk, disk: { bus, ...disk.disk } }
  })
}

/** A guest without networks is on the pod network, unless it wants none. */
function hasNoNetwork({ domain: { devices }, networks = [] }: InstanceSpec): boolean {
  return devices.autoattachPodInterface !== false && (devices.interfaces ?? []).length === 0 && networks.length === 0
}
