import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { objectName, shortName } from './fields.js'
import { MAX_ORGANIZATION_NAME, OVIM_GROUP, OVIM_VERSION } from './names.js'

const SUBJECT_KINDS = ['User', 'Group', 'ServiceAccount'] as const

const subject = t.object(
  {
    kind: t.defaulted(
      t.enum(SUBJECT_KINDS, { description: 'Kind is User, Group or ServiceAccount. Defaults to User.' }),
      'User',
    ),
    name: t.string({
      description: 'Name is the name of the user, group or service account, as the hub authenticates it.',
      minLength: 1,
      maxLength: 253,
    }),
    namespace: t.optional(
      t.string({
        description: 'Namespace is the namespace of a service account.',
        minLength: 1,
        maxLength: 63,
      }),
    ),
  },
  {
    description: 'Subject is a user, a group or a service account of the hub.',
    rules: [
      {
        rule: "self.kind == 'ServiceAccount' ? has(self.namespace) : !has(self.namespace)",
        message: 'namespace is required for a ServiceAccount, and not allowed for others',
        fieldPath: '.namespace',
      },
      {
        rule: "self.kind == 'ServiceAccount' || !self.name.startsWith('system:')",
        message: 'name must not start with "system:": users and groups of Kubernetes itself cannot be tenants',
        fieldPath: '.name',
      },
    ],
  },
)

const zoneQuota = t.object(
  {
    zone: objectName('Zone is the name of the zone.'),
    cpu: t.optional(t.quantity({ description: 'CPU is the number of cores. If unset, there is no limit.' })),
    memory: t.optional(t.quantity({ description: 'Memory is the amount of memory. If unset, there is no limit.' })),
    storage: t.optional(t.quantity({ description: 'Storage is the size of disks. If unset, there is no limit.' })),
    virtualMachines: t.optional(
      t.integer({
        description: 'VirtualMachines is the number of virtual machines. If unset, there is no limit.',
        format: 'int32',
        minimum: 0,
      }),
    ),
  },
  { description: 'ZoneQuota limits the sum of the quotas of virtual data centers in a zone.' },
)

const spec = t.object(
  {
    displayName: t.optional(
      t.string({ description: 'DisplayName is the name that user interfaces show.', maxLength: 253 }),
    ),
    description: t.optional(t.string({ description: 'Description describes the organization.', maxLength: 4096 })),
    admins: t.optional(
      t.array(subject, {
        description:
          'Admins may manage virtual data centers, catalogs, templates and virtual machines of the organization. ' +
          'They get the ClusterRole ovim:org-admin in its namespace.',
        maxItems: 256,
      }),
    ),
    users: t.optional(
      t.array(subject, {
        description:
          'Users may manage virtual machines of the organization. They get the ClusterRole ovim:org-user in its ' +
          'namespace.',
        maxItems: 1024,
      }),
    ),
    isEnabled: t.defaulted(
      t.boolean({
        description:
          'IsEnabled indicates whether the organization is in use. If false, nothing can be created or changed in it, ' +
          'and only its admins can read its objects. Virtual machines keep running. Defaults to true.',
      }),
      true,
    ),
    catalogs: t.optional(
      t.array(objectName('The name of a Catalog in ovim-system.'), {
        description: 'Catalogs lists the public catalogs that the organization uses. If unset, it uses all of them.',
        maxItems: 64,
        listType: 'set',
      }),
    ),
    zoneQuotas: t.optional(
      t.array(zoneQuota, {
        description:
          'ZoneQuotas limits what the virtual data centers of the organization may have in zones, together. Each of them then ' +
          'needs a quota for these resources. Zones that are not listed have no limit.',
        maxItems: 64,
        listType: 'map',
        listMapKeys: ['zone'],
      }),
    ),
  },
  { description: 'Spec is the desired state of the organization.' },
)

const status = t.object(
  {
    namespace: t.optional(t.string({ description: 'Namespace is the namespace of the organization on the hub.' })),
    phase: t.optional(
      t.enum(['Active', 'Disabled', 'Failed', 'Terminating'], {
        description: 'Phase is Active, Disabled, Failed or Terminating.',
      }),
    ),
    counts: t.optional(
      t.object(
        {
          vdcs: t.integer({ description: 'VDCs is the number of virtual data centers.', format: 'int32' }),
          vms: t.integer({ description: 'VMs is the number of virtual machines.', format: 'int32' }),
          templates: t.integer({ description: 'Templates is the number of templates of its own.', format: 'int32' }),
        },
        { description: 'Counts are the numbers of objects of the organization.' },
      ),
    ),
    observedGeneration: t.optional(
      t.integer({ description: 'ObservedGeneration is the generation that the status describes.', format: 'int64' }),
    ),
    conditions: t.optional(
      t.conditions({
        description: 'Conditions describe the organization. Ready is True if its namespace and its roles exist.',
      }),
    ),
  },
  { description: 'Status is the observed state of the organization.' },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'Organization',
  plural: 'organizations',
  scope: 'Cluster',
  shortNames: ['org'],
  categories: ['ovim'],
  description:
    'Organization is a tenant. Its virtual data centers, catalogs, templates and virtual machines are in the namespace ' +
    'org-{name}. Its name has at most 28 characters.',
  fields: { spec, status: t.optional(status) },
  rules: [
    shortName(MAX_ORGANIZATION_NAME),
    {
      rule: "self.metadata.name != 'public'",
      message: 'metadata.name must not be "public": ids of public templates use it',
    },
  ],
  statusSubresource: true,
  columns: [
    { name: 'Display Name', type: 'string', jsonPath: '.spec.displayName' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    conditionColumn('Ready', 'Ready'),
    { name: 'VDCs', type: 'integer', jsonPath: '.status.counts.vdcs' },
    { name: 'VMs', type: 'integer', jsonPath: '.status.counts.vms' },
    AGE_COLUMN,
  ],
})

export interface ZoneQuota extends Read<typeof zoneQuota> {}
export interface OrganizationSubject extends Read<typeof subject> {}
export interface OrganizationSpec extends Read<typeof spec> {}
export interface OrganizationStatus extends Read<typeof status> {}

/** A tenant. */
export interface Organization extends ObjectOf<typeof definition> {}
export interface NewOrganization extends DraftOf<typeof definition> {}
export const Organization: DefinedKind<Organization, NewOrganization> = definition
