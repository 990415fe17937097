import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { AddOnCondition } from './conditions.js'
import { addOnConfigs } from './config.js'
import { configReferenceFields, managedClusterAddOnStatusFields } from './managed-cluster-addon-status.js'
import { ADDON_GROUP } from './names.js'
import { registrations } from './registration.js'

const configReference = t.object(configReferenceFields, {
  description: 'ConfigReference is the rollout state of a configuration.',
})

const spec = t.object(
  { configs: t.optional(addOnConfigs) },
  {
    description:
      'Spec configures the add-on on this cluster. Its configs take precedence over those of the ' +
      'ClusterManagementAddOn.',
  },
)

const status = t.object(
  {
    ...managedClusterAddOnStatusFields,
    configReferences: t.optional(
      t.array(configReference, { description: 'ConfigReferences lists the rollout state of each configuration.' }),
    ),
    registrations: t.optional(registrations),
  },
  { description: 'Status is the state of the add-on on the cluster.' },
)

/** The parts of the definition that all versions share. */
export const managedClusterAddOnKind = {
  group: ADDON_GROUP,
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  scope: 'Namespaced',
  shortNames: ['mca', 'mcas'],
  description:
    'ManagedClusterAddOn installs an add-on on the managed cluster of its namespace. Its name is the name of ' +
    'the add-on.',
  statusSubresource: true,
  columns: [
    conditionColumn('Available', AddOnCondition.Available),
    conditionColumn('Degraded', AddOnCondition.Degraded),
    conditionColumn('Progressing', AddOnCondition.Progressing),
  ],
} as const

const definition = defineKind({
  ...managedClusterAddOnKind,
  version: 'v1beta1',
  storage: false,
  fields: { spec, status: t.optional(status) },
})

export interface ManagedClusterAddOnSpec extends Read<typeof spec> {}
export interface ManagedClusterAddOnStatus extends Read<typeof status> {}
/** The rollout state of a configuration on a cluster. */
export interface ConfigReference extends Read<typeof configReference> {}

/** An add-on of a cluster. */
export interface ManagedClusterAddOn extends ObjectOf<typeof definition> {}
export interface NewManagedClusterAddOn extends DraftOf<typeof definition> {}
export const ManagedClusterAddOn: DefinedKind<ManagedClusterAddOn, NewManagedClusterAddOn> = definition
