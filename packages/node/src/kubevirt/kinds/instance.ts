import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { KUBEVIRT_GROUP } from '../names.js'
import { instanceSpec } from './instance-spec.js'
import { conditionsSchema, nullableTime, open } from './pieces.js'

const text = t.optional(t.string())

const networkStatus = open(
  t.object({
    name: text,
    ipAddress: text,
    ipAddresses: t.optional(t.array(t.string())),
    mac: text,
    interfaceName: text,
    podInterfaceName: text,
    infoSource: text,
    queueCount: t.optional(t.integer({ format: 'int32' })),
    linkState: text,
  }),
)

const guestOSInfo = open(
  t.object({
    name: text,
    prettyName: text,
    version: text,
    versionId: text,
    kernelRelease: text,
    kernelVersion: text,
    machine: text,
    id: text,
  }),
)

const volumeStatus = open(
  t.object({
    name: t.string(),
    target: t.string(),
    phase: text,
    reason: text,
    message: text,
    persistentVolumeClaimInfo: t.optional(t.raw()),
    hotplugVolume: t.optional(t.raw()),
  }),
)

const transition = t.object({ phase: text, phaseTransitionTimestamp: t.optional(nullableTime()) })
const topology = t.object({
  sockets: t.optional(t.integer()),
  cores: t.optional(t.integer()),
  threads: t.optional(t.integer()),
})

const status = open(
  t.object(
    {
      phase: t.optional(
        t.string({
          description: 'Phase is Pending, Scheduling, Scheduled, Running, Succeeded or Failed. The last two are final.',
        }),
      ),
      phaseTransitionTimestamps: t.optional(t.array(transition)),
      nodeName: text,
      reason: text,
      conditions: t.optional(conditionsSchema),
      interfaces: t.optional(t.array(networkStatus)),
      guestOSInfo: t.optional(guestOSInfo),
      activePods: t.optional(t.map(t.string())),
      volumeStatus: t.optional(t.array(volumeStatus)),
      qosClass: text,
      launcherContainerImageVersion: text,
      fsFreezeStatus: text,
      virtualMachineRevisionName: text,
      runtimeUser: t.optional(t.integer({ format: 'int64' })),
      machine: t.optional(t.object({ type: text })),
      currentCPUTopology: t.optional(topology),
      memory: t.optional(t.map(t.quantity())),
      migrationState: t.optional(t.raw()),
    },
    { description: 'Status is the observed state of the virtual machine.' },
  ),
)

const options = {
  group: KUBEVIRT_GROUP,
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  scope: 'Namespaced',
  shortNames: ['vmi', 'vmis'],
  categories: ['all'],
  description: 'VirtualMachineInstance is a running virtual machine. A VirtualMachine creates one when it starts.',
  fields: { spec: instanceSpec, status: t.optional(status) },
  // Without the status subresource, as in KubeVirt: labels and status change together.
  columns: [
    AGE_COLUMN,
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'IP', type: 'string', jsonPath: '.status.interfaces[0].ipAddress' },
    { name: 'NodeName', type: 'string', jsonPath: '.status.nodeName' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    {
      name: 'Live-Migratable',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='LiveMigratable')].status",
      priority: 1,
    },
    { name: 'Paused', type: 'string', jsonPath: ".status.conditions[?(@.type=='Paused')].status", priority: 1 },
  ],
} as const

const definition = defineKind({ ...options, version: 'v1' })

export interface InstanceStatus extends Read<typeof status> {}
export type InstanceCondition = NonNullable<InstanceStatus['conditions']>[number]
export type InterfaceStatus = NonNullable<InstanceStatus['interfaces']>[number]
export type VolumeStatus = NonNullable<InstanceStatus['volumeStatus']>[number]
export interface GuestOSInfo extends Read<typeof guestOSInfo> {}

/** A running virtual machine. */
export interface VirtualMachineInstance extends ObjectOf<typeof definition> {}
export interface NewVirtualMachineInstance extends DraftOf<typeof definition> {}
export const VirtualMachineInstance: DefinedKind<VirtualMachineInstance, NewVirtualMachineInstance> = definition

/** The same kind in the version that old clients use. */
export const VirtualMachineInstanceV1Alpha3: DefinedKind<VirtualMachineInstance, NewVirtualMachineInstance> =
  defineKind({ ...options, version: 'v1alpha3', storage: false })
