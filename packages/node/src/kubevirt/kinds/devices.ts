import { t } from '@orrery/api/schema'
import { open } from './pieces.js'

const disk = open(
  t.object(
    {
      name: t.string({ description: 'Name is the name of the volume that the disk shows to the guest.' }),
      disk: t.optional(open(t.object({ bus: t.optional(t.string()), readonly: t.optional(t.boolean()) }))),
      lun: t.optional(t.raw()),
      cdrom: t.optional(t.raw()),
      bootOrder: t.optional(t.integer({ minimum: 1 })),
      serial: t.optional(t.string()),
    },
    { description: 'A disk of the guest.' },
  ),
)

const networkInterface = open(
  t.object(
    {
      name: t.string({ description: 'Name is the name of the network that the interface connects to.' }),
      model: t.optional(t.string()),
      macAddress: t.optional(t.string()),
      masquerade: t.optional(t.raw()),
      bridge: t.optional(t.raw()),
      bootOrder: t.optional(t.integer({ minimum: 1 })),
      state: t.optional(t.string()),
    },
    { description: 'A network interface of the guest.' },
  ),
)

const optionalFlag = t.optional(t.boolean())
const list = t.optional(t.array(t.raw()))
const settings = t.optional(t.raw())

/** The devices of a guest. All fields of KubeVirt are listed, so that misspelled ones are reported. */
export const devices = t.object(
  {
    disks: t.optional(t.array(disk, { maxItems: 256 })),
    interfaces: t.optional(t.array(networkInterface, { maxItems: 256 })),
    inputs: list,
    gpus: list,
    hostDevices: list,
    filesystems: list,
    panicDevices: list,
    watchdog: settings,
    rng: settings,
    downwardMetrics: settings,
    clientPassthrough: settings,
    sound: settings,
    tpm: settings,
    video: settings,
    useVirtioTransitional: optionalFlag,
    disableHotplug: optionalFlag,
    autoattachPodInterface: optionalFlag,
    autoattachGraphicsDevice: optionalFlag,
    autoattachSerialConsole: optionalFlag,
    logSerialConsole: optionalFlag,
    autoattachMemBalloon: optionalFlag,
    autoattachInputDevice: optionalFlag,
    autoattachVSOCK: optionalFlag,
    blockMultiQueue: optionalFlag,
    networkInterfaceMultiqueue: optionalFlag,
  },
  { description: 'Devices are the disks, network interfaces and other devices of the guest.' },
)
