import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { VM_STATUSES } from '../wire/status-report.js'
import { POWER_STATES } from '../wire/vm-payloads.js'
import { OBJECT_NAME, objectName, placementRef, positiveQuantity, shortName, textMap } from './fields.js'
import { OVIM_GROUP, OVIM_VERSION } from './names.js'
import { operationSummary } from './operation-summary.js'
import { MAX_CLOUD_INIT } from './template.js'

const spec = t.object(
  {
    vdc: t.optional(objectName('VDC is the name of the VirtualDataCenter. It is in the namespace of the request.')),
    placementRef: t.optional(
      placementRef(
        'PlacementRef names a Placement. The virtual machine is created in the first virtual data center of the organization ' +
          'that is in a selected cluster and has capacity.',
      ),
    ),
    template: objectName(
      'Template is the name of the Template, in the namespace of the request or, if it is not there, in ovim-system.',
    ),
    cpu: t.optional(
      t.integer({
        description: 'CPU is the number of cores. Defaults to that of the template.',
        format: 'int32',
        minimum: 1,
        maximum: 1024,
      }),
    ),
    memory: t.optional(positiveQuantity({ description: 'Memory is the memory. Defaults to that of the template.' })),
    storage: t.optional(
      positiveQuantity({ description: 'Storage is the size of the disk. Defaults to that of the template.' }),
    ),
    powerState: t.defaulted(
      t.enum(POWER_STATES, { description: 'PowerState is Running, Stopped or Paused. Defaults to Running.' }),
      'Running',
    ),
    restartedAt: t.optional(
      t.time({
        description:
          'RestartedAt is when a restart was requested. Setting it to another time restarts the virtual machine once.',
      }),
    ),
    networkName: t.optional(
      t.string({
        description:
          'NetworkName is a NetworkAttachmentDefinition in the namespace of the virtual data center. If unset, the networks of ' +
          'the template.',
        minLength: 1,
        maxLength: 253,
        pattern: OBJECT_NAME,
      }),
    ),
    labels: t.optional(textMap('Labels are labels of the virtual machine on the cluster.')),
    annotations: t.optional(textMap('Annotations are annotations of the virtual machine on the cluster.')),
    sshKeys: t.optional(
      t.array(
        t.string({
          description: 'A public key as in authorized_keys.',
          maxLength: 8192,
          pattern: '^(ssh-|ecdsa-|sk-)[^\\n]+$',
        }),
        { description: 'SSHKeys are public keys that may log in.', maxItems: 32, listType: 'atomic' },
      ),
    ),
    cloudInit: t.optional(
      t.string({
        description: 'CloudInit is user data for cloud-init. Defaults to that of the template.',
        maxLength: MAX_CLOUD_INIT,
      }),
    ),
  },
  {
    description: 'Spec is the desired state of the virtual machine.',
    rules: [
      {
        rule: 'has(self.vdc) || has(self.placementRef)',
        message: 'vdc is required, unless placementRef is set',
        fieldPath: '.vdc',
      },
      {
        rule: 'has(self.vdc) == has(oldSelf.vdc) && (!has(self.vdc) || self.vdc == oldSelf.vdc)',
        message: 'vdc is immutable: create another virtual machine',
        fieldPath: '.vdc',
      },
      {
        rule: 'self.template == oldSelf.template',
        message: 'template is immutable: create another virtual machine',
        fieldPath: '.template',
      },
      {
        rule: "!has(self.labels) || self.labels.all(key, !key.startsWith('ovim.io/') && !key.contains('kubevirt.io/'))",
        message: 'labels must not use the prefixes ovim.io/ and kubevirt.io/',
        fieldPath: '.labels',
      },
      {
        rule: "!has(self.annotations) || self.annotations.all(key, !key.startsWith('ovim.io/') && !key.contains('kubevirt.io/'))",
        message: 'annotations must not use the prefixes ovim.io/ and kubevirt.io/',
        fieldPath: '.annotations',
      },
    ],
  },
)

const text = (description: string) => t.optional(t.string({ description }))

const status = t.object(
  {
    phase: t.optional(t.enum(VM_STATUSES, { description: `Phase is one of ${VM_STATUSES.join(', ')}.` })),
    vdc: text('VDC is the virtual data center that was chosen. It does not change.'),
    zone: text('Zone is the zone of the virtual machine. It does not change.'),
    namespace: text('Namespace is the namespace of the virtual machine on the cluster.'),
    vmName: text('VMName is the name of the virtual machine on the cluster.'),
    ipAddress: text('IPAddress is the address of the first network interface.'),
    nodeName: text('NodeName is the node that the virtual machine runs on.'),
    printableStatus: text('PrintableStatus is the status that KubeVirt shows.'),
    message: text('Message describes the phase for people.'),
    created: t.optional(
      t.boolean({ description: 'Created indicates whether the virtual machine was created on the cluster.' }),
    ),
    appliedSpec: text('AppliedSpec is the hash of the specification that the cluster has.'),
    observedRestart: text('ObservedRestart is the restartedAt that was executed.'),
    reportedAt: text(
      'ReportedAt is the time of the report that the phase is from, while an operation is in progress. The result of an operation ' +
        'that ended earlier does not change the phase.',
    ),
    observedGeneration: t.optional(
      t.integer({ description: 'ObservedGeneration is the generation that the status describes.', format: 'int64' }),
    ),
    operation: t.optional(operationSummary),
    conditions: t.optional(
      t.conditions({
        description:
          'Conditions describe the virtual machine. Ready is True if it is in the requested power state. Scheduled is True if ' +
          'it has a virtual data center with room for it.',
      }),
    ),
  },
  { description: 'Status is the observed state of the virtual machine.' },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'VirtualMachineRequest',
  plural: 'virtualmachinerequests',
  scope: 'Namespaced',
  shortNames: ['vmr'],
  categories: ['ovim'],
  description:
    'VirtualMachineRequest is a virtual machine on a cluster of the fleet. Deleting it deletes the virtual machine and its disks.',
  fields: { spec, status: t.optional(status) },
  rules: [shortName(63)],
  statusSubresource: true,
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Zone', type: 'string', jsonPath: '.status.zone' },
    { name: 'VDC', type: 'string', jsonPath: '.status.vdc' },
    { name: 'IP', type: 'string', jsonPath: '.status.ipAddress' },
    { name: 'Node', type: 'string', jsonPath: '.status.nodeName', priority: 1 },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
    AGE_COLUMN,
  ],
})

export interface VirtualMachineRequestSpec extends Read<typeof spec> {}
export interface VirtualMachineRequestStatus extends Read<typeof status> {}

/** A virtual machine on a cluster of the fleet. */
export interface VirtualMachineRequest extends ObjectOf<typeof definition> {}
export interface NewVirtualMachineRequest extends DraftOf<typeof definition> {}
export const VirtualMachineRequest: DefinedKind<VirtualMachineRequest, NewVirtualMachineRequest> = definition
