import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { VDC_PHASES } from '../wire/status-report.js'
import { notAbove, objectName, placementRef, positiveQuantity, shortName } from './fields.js'
import { MAX_VDC_NAME, OVIM_GROUP, OVIM_VERSION } from './names.js'
import { operationSummary } from './operation-summary.js'

const quota = t.object(
  {
    cpu: t.optional(positiveQuantity({ description: 'CPU is the limit of requested CPU, in cores.' })),
    memory: t.optional(positiveQuantity({ description: 'Memory is the limit of requested memory.' })),
    storage: t.optional(positiveQuantity({ description: 'Storage is the limit of requested storage.' })),
    pods: t.optional(t.integer({ description: 'Pods is the limit of pods.', format: 'int32', minimum: 1 })),
    virtualMachines: t.optional(
      t.integer({
        description: 'VirtualMachines is the limit of virtual machines. Defaults to 50 on the cluster.',
        format: 'int32',
        minimum: 1,
      }),
    ),
  },
  { description: 'Quota limits the resources of the virtual data center. A limit that is unset does not apply.' },
)

const limitRange = t.object(
  {
    minCpu: t.optional(positiveQuantity({ description: 'MinCPU is the least CPU of a container.' })),
    maxCpu: t.optional(positiveQuantity({ description: 'MaxCPU is the most CPU of a container.' })),
    minMemory: t.optional(positiveQuantity({ description: 'MinMemory is the least memory of a container.' })),
    maxMemory: t.optional(positiveQuantity({ description: 'MaxMemory is the most memory of a container.' })),
  },
  {
    description: 'LimitRange limits each container and virtual machine.',
    rules: [notAbove('minCpu', 'maxCpu'), notAbove('minMemory', 'maxMemory')],
  },
)

const customNetworkConfig = t.object(
  {
    policyType: t.optional(
      t.enum(['isolate', 'allow-all'], {
        description: 'PolicyType is isolate or allow-all. Defaults to isolate.',
      }),
    ),
    denyAllIngress: t.optional(t.boolean({ description: 'DenyAllIngress denies all incoming traffic.' })),
    denyAllEgress: t.optional(t.boolean({ description: 'DenyAllEgress denies all outgoing traffic.' })),
  },
  { description: 'CustomNetworkConfig configures the network policy custom.' },
)

const spec = t.object(
  {
    organizationRef: t.optional(
      objectName(
        'OrganizationRef is the name of the organization. It must be the organization of the namespace. If unset, it is that one.',
      ),
    ),
    zoneId: t.optional(objectName('ZoneID is the name of the Zone that the virtual data center is in.')),
    placementRef: t.optional(
      placementRef(
        'PlacementRef names a Placement. The first cluster that it selects and that has capacity becomes the zone.',
      ),
    ),
    displayName: t.optional(
      t.string({ description: 'DisplayName is the name that user interfaces show.', maxLength: 253 }),
    ),
    description: t.optional(
      t.string({ description: 'Description describes the virtual data center.', maxLength: 4096 }),
    ),
    quota: t.optional(quota),
    limitRange: t.optional(limitRange),
    networkPolicy: t.defaulted(
      t.enum(['default', 'isolated', 'custom'], {
        description:
          'NetworkPolicy is default, isolated or custom. With default, namespaces of other virtual data centers cannot reach ' +
          'this one; with isolated, it also reaches only itself and DNS; custom needs customNetworkConfig. Defaults to default.',
      }),
      'default',
    ),
    customNetworkConfig: t.optional(customNetworkConfig),
    catalogRestrictions: t.optional(
      t.array(objectName('The name of a Catalog.'), {
        description:
          'CatalogRestrictions lists the catalogs whose templates may be used here. If unset, all catalogs of the organization.',
        maxItems: 64,
        listType: 'set',
      }),
    ),
  },
  {
    description: 'Spec is the desired state of the virtual data center.',
    rules: [
      {
        rule: 'has(self.zoneId) != has(self.placementRef)',
        message: 'set exactly one of zoneId and placementRef',
        fieldPath: '.zoneId',
      },
      {
        rule: 'has(self.zoneId) == has(oldSelf.zoneId) && (!has(self.zoneId) || self.zoneId == oldSelf.zoneId)',
        message: 'zoneId is immutable: create another virtual data center',
        fieldPath: '.zoneId',
      },
      {
        rule: "(self.networkPolicy == 'custom') == has(self.customNetworkConfig)",
        message: 'customNetworkConfig is required for the network policy custom, and not allowed for others',
        fieldPath: '.customNetworkConfig',
      },
    ],
  },
)

const usage = t.object(
  {
    cpu: t.optional(t.quantity({ description: 'CPU in use, in cores.' })),
    memory: t.optional(t.quantity({ description: 'Memory in use.' })),
    storage: t.optional(t.quantity({ description: 'Storage in use.' })),
  },
  { description: 'ResourceUsage is what the cluster reports as used.' },
)

const status = t.object(
  {
    phase: t.optional(t.enum(VDC_PHASES, { description: `Phase is one of ${VDC_PHASES.join(', ')}.` })),
    zone: t.optional(t.string({ description: 'Zone is the zone that was chosen. It does not change.' })),
    orgNamespace: t.optional(
      t.string({ description: 'OrgNamespace is the namespace of the organization on the hub.' }),
    ),
    workloadNamespace: t.optional(
      t.string({ description: 'WorkloadNamespace is the namespace of the virtual machines on the cluster.' }),
    ),
    resourceUsage: t.optional(usage),
    totalPods: t.optional(t.integer({ description: 'TotalPods is the number of pods.', format: 'int32' })),
    totalVMs: t.optional(t.integer({ description: 'TotalVMs is the number of virtual machines.', format: 'int32' })),
    appliedSpec: t.optional(
      t.string({ description: 'AppliedSpec is the hash of the specification that the cluster has.' }),
    ),
    observedGeneration: t.optional(
      t.integer({ description: 'ObservedGeneration is the generation that the status describes.', format: 'int64' }),
    ),
    message: t.optional(t.string({ description: 'Message describes the phase for people.' })),
    operation: t.optional(operationSummary),
    conditions: t.optional(
      t.conditions({
        description:
          'Conditions describe the virtual data center. Ready is True if it exists on its cluster as specified.',
      }),
    ),
  },
  { description: 'Status is the observed state of the virtual data center.' },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'VirtualDataCenter',
  plural: 'virtualdatacenters',
  scope: 'Namespaced',
  shortNames: ['vdc'],
  categories: ['ovim'],
  description:
    'VirtualDataCenter is a part of a cluster that belongs to an organization: a namespace with a quota, limits and network ' +
    'policies. It is in the namespace of its organization.',
  fields: { spec, status: t.optional(status) },
  rules: [shortName(MAX_VDC_NAME)],
  statusSubresource: true,
  columns: [
    { name: 'Zone', type: 'string', jsonPath: '.status.zone' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'VMs', type: 'integer', jsonPath: '.status.totalVMs' },
    { name: 'Workload Namespace', type: 'string', jsonPath: '.status.workloadNamespace', priority: 1 },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
    AGE_COLUMN,
  ],
})

export interface VirtualDataCenterSpec extends Read<typeof spec> {}
export interface VirtualDataCenterStatus extends Read<typeof status> {}

/** A part of a cluster that belongs to an organization. */
export interface VirtualDataCenter extends ObjectOf<typeof definition> {}
export interface NewVirtualDataCenter extends DraftOf<typeof definition> {}
export const VirtualDataCenter: DefinedKind<VirtualDataCenter, NewVirtualDataCenter> = definition
