import { type Read, t } from '@orrery/api/schema'
import { devices } from './devices.js'
import { open } from './pieces.js'

const flag = t.optional(t.boolean())
const list = t.optional(t.array(t.raw()))
const settings = t.optional(t.raw())
const text = t.optional(t.string())
const count = t.optional(t.integer({ format: 'int32', minimum: 0 }))

const cpu = t.object(
  {
    cores: count,
    sockets: count,
    threads: count,
    maxSockets: count,
    model: text,
    features: list,
    dedicatedCpuPlacement: flag,
    isolateEmulatorThread: flag,
    numa: settings,
    realtime: settings,
  },
  { description: 'CPU is the CPU topology of the guest. Defaults to one vCPU, or to the requested CPU.' },
)

const memory = open(
  t.object(
    { guest: t.optional(t.quantity()), maxGuest: t.optional(t.quantity()), hugepages: settings },
    { description: 'Memory is the memory of the guest. Defaults to the requested memory.' },
  ),
)

const quantities = t.optional(t.map(t.quantity()))

const domain = t.object(
  {
    cpu: t.optional(cpu),
    memory: t.optional(memory),
    resources: t.optional(open(t.object({ requests: quantities, limits: quantities, overcommitGuestOverhead: flag }))),
    machine: t.optional(t.object({ type: t.optional(t.string()) })),
    firmware: t.optional(open(t.object({ uuid: text }))),
    features: t.optional(open(t.object({ acpi: t.optional(open(t.object({ enabled: flag }))) }))),
    devices,
    clock: settings,
    chassis: settings,
    launchSecurity: settings,
    ioThreads: settings,
    ioThreadsPolicy: text,
    rebootPolicy: text,
  },
  { description: 'Domain describes the virtual hardware of the guest.' },
)

const volume = open(
  t.object(
    {
      name: t.string({ description: 'Name is the name of the volume. Disks refer to it.' }),
      containerDisk: t.optional(open(t.object({ image: t.string(), imagePullPolicy: text, imagePullSecret: text }))),
      dataVolume: t.optional(t.object({ name: t.string(), hotpluggable: flag })),
      persistentVolumeClaim: t.optional(t.object({ claimName: t.string(), readOnly: flag, hotpluggable: flag })),
      ephemeral: t.optional(
        open(t.object({ persistentVolumeClaim: t.optional(open(t.object({ claimName: t.string() }))) })),
      ),
      cloudInitNoCloud: settings,
      cloudInitConfigDrive: settings,
      emptyDisk: settings,
    },
    { description: 'A source of data for a disk. It has exactly one source.' },
  ),
)

const network = open(
  t.object(
    {
      name: t.string({ description: 'Name is the name of the network. Interfaces refer to it.' }),
      pod: settings,
      multus: t.optional(open(t.object({ networkName: t.string(), default: flag }))),
    },
    { description: 'A network of the guest.' },
  ),
)

/** The spec of a VirtualMachineInstance. All fields of KubeVirt are listed, so that misspelled ones are reported. */
export const instanceSpec = t.object(
  {
    domain,
    volumes: t.optional(t.array(volume, { maxItems: 256, listType: 'map', listMapKeys: ['name'] })),
    utilityVolumes: list,
    networks: t.optional(t.array(network, { maxItems: 256 })),
    terminationGracePeriodSeconds: t.optional(
      t.integer({
        format: 'int64',
        minimum: 0,
        description:
          'TerminationGracePeriodSeconds is how long the guest may take to shut down before it is killed. Defaults to 30.',
      }),
    ),
    startStrategy: text,
    evictionStrategy: text,
    architecture: text,
    hostname: text,
    subdomain: text,
    priorityClassName: text,
    schedulerName: text,
    serviceAccountName: text,
    nodeSelector: t.optional(t.map(t.string())),
    affinity: settings,
    tolerations: list,
    topologySpreadConstraints: list,
    resourceClaims: list,
    livenessProbe: settings,
    readinessProbe: settings,
    dnsPolicy: text,
    dnsConfig: settings,
    accessCredentials: list,
  },
  { description: 'Spec is the desired virtual machine.' },
)

export interface InstanceSpec extends Read<typeof instanceSpec> {}
export type Volume = NonNullable<InstanceSpec['volumes']>[number]
export type Disk = NonNullable<InstanceSpec['domain']['devices']['disks']>[number]
