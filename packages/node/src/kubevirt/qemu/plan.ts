/** The hardware of a real machine. */
export interface MachinePlan {
  readonly uuid: string
  readonly cpu: { readonly sockets: number; readonly cores: number; readonly threads: number }
  readonly memoryBytes: number
  readonly disks: readonly DiskPlan[]
  readonly interfaces: readonly InterfacePlan[]
  /** The kernel that is started instead of a boot loader. */
  readonly kernel: KernelPlan | undefined
  readonly hasDisplay: boolean
  readonly hasSerialConsole: boolean
  readonly hasAcpi: boolean
  readonly hasRandomness: boolean
  readonly reportsPanic: boolean
  /** Whether a restart of the guest ends the machine. */
  readonly endsOnReboot: boolean
  readonly startsPaused: boolean
}

export interface KernelPlan {
  readonly kernel: string
  readonly initrd: string | undefined
  readonly args: string
}

export interface DiskPlan {
  /** The name of the volume. */
  readonly name: string
  readonly kind: 'disk' | 'cdrom'
  readonly bus: 'virtio' | 'sata' | 'scsi' | 'usb'
  readonly isReadOnly: boolean
  readonly bootOrder: number | undefined
  readonly serial: string | undefined
  readonly source: DiskSource
}

/** Where the data of a disk is. Changes of images and ephemeral claims are gone when the machine ends. */
export type DiskSource =
  | { readonly type: 'image'; readonly file: string }
  | { readonly type: 'claim'; readonly directory: string; readonly isEphemeral: boolean }
  | { readonly type: 'empty'; readonly bytes: number }
  | { readonly type: 'files'; readonly label: string; readonly files: ReadonlyMap<string, Buffer> }

export interface InterfacePlan {
  readonly model: string
  readonly mac: string
  readonly bootOrder: number | undefined
  /** Whether it reaches the network of this machine. Networks besides the pod network are not connected. */
  readonly isConnected: boolean
}

/** Why this node can only play an instance. */
export class OnlyPlayed extends Error {}
