import type { DiskPlan, MachinePlan } from './plan.js'

/** The names of the files in the working directory of QEMU. */
export const MONITOR_SOCKET = 'monitor'
export const CONSOLE_SOCKET = 'console'
export const AGENT_SOCKET = 'agent'
export const DISPLAY_SOCKET = 'display'
/** The ID of the port of the guest agent, which events name. */
export const AGENT_PORT = 'agent-port'

const MEBIBYTE = 1024 * 1024
/** The ports of the SATA controller that this type of machine has. */
const SATA_PORTS = 6
/** Denies system calls that a machine does not need: to start programs, and to gain privileges. */
const SECCOMP = 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'

const INTERFACE_MODELS: Readonly<Record<string, string>> = {
  virtio: 'virtio-net-pci',
  e1000: 'e1000',
  e1000e: 'e1000e',
  rtl8139: 'rtl8139',
  ne2k_pci: 'ne2k_pci',
  pcnet: 'pcnet',
}

/** How QEMU runs on this machine. */
export interface Emulation {
  readonly acceleration: string
  /** Whether QEMU can restrict its own system calls. */
  readonly hasSeccomp: boolean
}

/** The file of a disk as QEMU sees it. */
export interface DiskFile {
  readonly path: string
  readonly format: 'raw' | 'qcow2'
  /** A disk whose unchanged parts are read from another file. */
  readonly backing?: { readonly path: string; readonly format: 'raw' | 'qcow2' }
}

export interface KernelFiles {
  readonly kernel: string
  readonly initrd: string | undefined
}

/**
 * Returns the arguments of QEMU. Values of users are only in JSON or are a whole argument, since commas separate options
 * elsewhere. Formats are explicit, and no image chooses its own backing file: a guest could otherwise write a header that
 * names a file of this machine.
 */
export function qemuArguments(
  plan: MachinePlan,
  files: readonly DiskFile[],
  kernel: KernelFiles | undefined,
  { acceleration, hasSeccomp }: Emulation,
): string[] {
  const { cpu, disks } = plan
  const sata = disks.filter(({ bus }) => bus === 'sata')
  const vcpus = cpu.sockets * cpu.cores * cpu.threads
  return [
    '-no-user-config',
    '-nodefaults',
    ...(hasSeccomp ? ['-sandbox', SECCOMP] : []),
    // The node starts the guest when it is connected.
    '-S',
    ...['-machine', `q35,accel=${acceleration}${plan.hasAcpi ? '' : ',acpi=off'}`],
    ...['-cpu', acceleration === 'tcg' ? 'max' : 'host'],
    ...['-smp', `cpus=${vcpus},sockets=${cpu.sockets},cores=${cpu.cores},threads=${cpu.threads}`],
    ...['-m', `${Math.max(1, Math.ceil(plan.memoryBytes / MEBIBYTE))}M`],
    ...['-uuid', plan.uuid],
    ...['-rtc', 'base=utc'],
    ...['-display', 'none'],
    ...['-action', `panic=shutdown,reboot=${plan.endsOnReboot ? 'shutdown' : 'reset'}`],
    ...socket('monitor', MONITOR_SOCKET),
    ...['-mon', 'chardev=monitor,mode=control'],
    ...(plan.hasSerialConsole ? [...socket('console', CONSOLE_SOCKET), '-serial', 'chardev:console'] : []),
    ...socket('agent', AGENT_SOCKET),
    ...device({ driver: 'virtio-serial-pci', id: 'serial' }),
    ...device({ driver: 'virtserialport', id: AGENT_PORT, chardev: 'agent', name: 'org.qemu.guest_agent.0' }),
    ...(plan.hasDisplay ? displayArguments() : []),
    ...(plan.hasRandomness ? device({ driver: 'virtio-rng-pci' }) : []),
    ...(plan.reportsPanic ? device({ driver: 'pvpanic' }) : []),
    ...controllers(disks, sata.length),
    ...disks.flatMap((disk, index) => {
      const file = files[index]
      return file === undefined ? [] : diskArguments(disk, index, file, sata.indexOf(disk), bootIndexOf(plan, index))
    }),
    ...plan.interfaces.flatMap(({ model, mac, isConnected, bootOrder }, index) => [
      ...['-netdev', `user,id=net${index}${isConnected ? '' : ',restrict=on'}`],
      ...device({
        driver: INTERFACE_MODELS[model] ?? 'virtio-net-pci',
        netdev: `net${index}`,
        mac,
        ...(bootOrder === undefined ? {} : { bootindex: bootOrder }),
        // There is nothing to boot from on this network.
        ...(bootOrder === undefined && { romfile: '' }),
      }),
    ]),
    ...kernelArguments(plan, kernel),
  ]
}

function kernelArguments({ kernel: plan }: MachinePlan, files: KernelFiles | undefined): string[] {
  if (plan === undefined || files === undefined) return []
  return [
    ...['-kernel', files.kernel],
    ...(files.initrd === undefined ? [] : ['-initrd', files.initrd]),
    ...(plan.args === '' ? [] : ['-append', plan.args]),
  ]
}

/** QEMU connects to sockets of the node, so that the node need not wait until they are there. */
function socket(id: string, path: string): string[] {
  return ['-chardev', `socket,id=${id},path=${path},server=off`]
}

function displayArguments(): string[] {
  return [
    ...['-vnc', `unix:${DISPLAY_SOCKET}`],
    ...device({ driver: 'VGA' }),
    ...device({ driver: 'qemu-xhci', id: 'usb' }),
    // A pointer with absolute positions stays below that of the viewer.
    ...device({ driver: 'usb-tablet', bus: 'usb.0' }),
  ]
}

function controllers(disks: readonly DiskPlan[], sataDisks: number): string[] {
  const has = (bus: DiskPlan['bus']) => disks.some((disk) => disk.bus === bus)
  const more = Math.max(0, Math.ceil(sataDisks / SATA_PORTS) - 1)
  return [
    ...(has('scsi') ? device({ driver: 'virtio-scsi-pci', id: 'scsi' }) : []),
    ...(has('usb') ? device({ driver: 'qemu-xhci', id: 'usb-disks' }) : []),
    ...Array.from({ length: more }, (_, index) => device({ driver: 'ich9-ahci', id: `sata${index + 1}` })).flat(),
  ]
}

function diskArguments(
  disk: DiskPlan,
  index: number,
  file: DiskFile,
  sataIndex: number,
  bootindex: number | undefined,
): string[] {
  const id = `disk${index}`
  const common = {
    drive: id,
    ...(bootindex !== undefined && { bootindex }),
    ...(disk.serial !== undefined && { serial: disk.serial }),
  }
  return [
    '-blockdev',
    JSON.stringify(blockNode(id, disk, file)),
    ...device({ ...attachment(disk, sataIndex), ...common }),
  ]
}

function blockNode(id: string, { isReadOnly }: DiskPlan, { path, format, backing }: DiskFile): object {
  return {
    driver: format,
    'node-name': id,
    'read-only': isReadOnly,
    discard: 'unmap',
    file: { driver: 'file', filename: path },
    ...(format === 'qcow2' && {
      backing:
        backing === undefined
          ? null
          : {
              driver: backing.format,
              'read-only': true,
              file: { driver: 'file', filename: backing.path },
              ...(backing.format === 'qcow2' && { backing: null }),
            },
    }),
  }
}

function attachment({ kind, bus }: DiskPlan, sataIndex: number): object {
  const isCdrom = kind === 'cdrom'
  switch (bus) {
    case 'virtio':
      return { driver: 'virtio-blk-pci' }
    case 'scsi':
      return { driver: isCdrom ? 'scsi-cd' : 'scsi-hd', bus: 'scsi.0' }
    case 'usb':
      return { driver: 'usb-storage', bus: 'usb-disks.0' }
    case 'sata': {
      const controller = Math.floor(sataIndex / SATA_PORTS)
      const bus = controller === 0 ? `ide.${sataIndex}` : `sata${controller}.${sataIndex % SATA_PORTS}`
      return { driver: isCdrom ? 'ide-cd' : 'ide-hd', bus }
    }
  }
}

/** Without an order in the spec, the guest boots from its disks in their order. */
function bootIndexOf({ disks, interfaces }: MachinePlan, index: number): number | undefined {
  const isOrdered = [...disks, ...interfaces].some(({ bootOrder }) => bootOrder !== undefined)
  return isOrdered ? disks[index]?.bootOrder : index + 1
}

function device(properties: object): string[] {
  return ['-device', JSON.stringify(properties)]
}
