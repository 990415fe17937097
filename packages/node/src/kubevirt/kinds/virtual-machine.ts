import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { KUBEVIRT_GROUP } from '../names.js'
import { dataVolumeSpec } from './data-volume.js'
import { instanceSpec } from './instance-spec.js'
import { conditionsSchema, nullableTime, open, templateMetadata } from './pieces.js'

const text = t.optional(t.string())

const dataVolumeTemplate = open(
  t.object(
    { metadata: t.optional(templateMetadata), spec: dataVolumeSpec },
    { description: 'A DataVolume to create.' },
  ),
)

const spec = t.object(
  {
    running: t.optional(
      t.boolean({ description: 'Running starts and stops the virtual machine. Deprecated: use runStrategy.' }),
    ),
    runStrategy: t.optional(
      t.string({
        description: [
          'RunStrategy decides when an instance runs: Always, Halted, Manual, RerunOnFailure or Once.',
          'Exactly one of running and runStrategy is set.',
        ].join(' '),
      }),
    ),
    template: t.object(
      { metadata: t.optional(templateMetadata), spec: instanceSpec },
      { description: 'Template describes the instances that the virtual machine creates.' },
    ),
    dataVolumeTemplates: t.optional(t.array(dataVolumeTemplate)),
    instancetype: t.optional(t.raw()),
    preference: t.optional(t.raw()),
    updateVolumesStrategy: text,
  },
  { description: 'Spec is the desired virtual machine.' },
)

const stateChangeRequest = t.object({
  action: t.string(),
  data: t.optional(t.map(t.string())),
  uid: text,
})

const startFailure = t.object({
  consecutiveFailCount: t.optional(t.integer()),
  lastFailedVMIUID: text,
  retryAfterTimestamp: t.optional(nullableTime()),
})

const status = open(
  t.object(
    {
      created: t.optional(t.boolean()),
      ready: t.optional(t.boolean()),
      printableStatus: t.optional(
        t.string({ description: 'PrintableStatus summarizes the state, such as Running or Stopped.' }),
      ),
      runStrategy: text,
      conditions: t.optional(conditionsSchema),
      stateChangeRequests: t.optional(t.array(stateChangeRequest)),
      startFailure: t.optional(startFailure),
      observedGeneration: t.optional(t.integer({ format: 'int64' })),
      desiredGeneration: t.optional(t.integer({ format: 'int64' })),
      snapshotInProgress: text,
    },
    { description: 'Status is the observed state of the virtual machine.' },
  ),
)

const options = {
  group: KUBEVIRT_GROUP,
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  scope: 'Namespaced',
  shortNames: ['vm', 'vms'],
  categories: ['all'],
  description: 'VirtualMachine is a virtual machine that can be started and stopped.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
  columns: [
    AGE_COLUMN,
    { name: 'Status', type: 'string', jsonPath: '.status.printableStatus', description: 'Human Readable Status' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
  ],
} as const

const definition = defineKind({ ...options, version: 'v1' })

export interface VirtualMachineSpec extends Read<typeof spec> {}
export interface VirtualMachineStatus extends Read<typeof status> {}
export type DataVolumeTemplate = NonNullable<VirtualMachineSpec['dataVolumeTemplates']>[number]
export type StateChangeRequest = NonNullable<VirtualMachineStatus['stateChangeRequests']>[number]
export type StartFailure = NonNullable<VirtualMachineStatus['startFailure']>

/** A virtual machine that can be started and stopped. */
export interface VirtualMachine extends ObjectOf<typeof definition> {}
export interface NewVirtualMachine extends DraftOf<typeof definition> {}
export const VirtualMachine: DefinedKind<VirtualMachine, NewVirtualMachine> = definition

/** The same kind in the version that old clients use. */
export const VirtualMachineV1Alpha3: DefinedKind<VirtualMachine, NewVirtualMachine> = defineKind({
  ...options,
  version: 'v1alpha3',
  storage: false,
})
