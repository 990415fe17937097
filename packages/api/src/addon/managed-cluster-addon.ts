import type { DraftOf, ObjectOf } from '@orrery/kube'
import { conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { AddOnCondition } from './conditions.js'
import { addOnConfigs } from './config.js'
import { configReferenceFields, managedClusterAddOnStatusFields } from './managed-cluster-addon-status.js'
import { ADDON_GROUP } from './names.js'
import { registrations } from './registration.js'

const configReference = t.object(configReferenceFields, { description: 'How far a configuration has come.' })

const spec = t.object(
  { configs: t.optional(addOnConfigs) },
  { description: 'How the add-on is wanted on the cluster. What it says goes before what others say.' },
)

const status = t.object(
  {
    ...managedClusterAddOnStatusFields,
    configReferences: t.optional(
      t.array(configReference, { description: 'The configurations, and how far they have come.' }),
    ),
    registrations: t.optional(registrations),
  },
  { description: 'How the add-on fares on the cluster.' },
)

/** What is the same of the kind in all versions. */
export const managedClusterAddOnKind = {
  group: ADDON_GROUP,
  kind: 'ManagedClusterAddOn',
  plural: 'managedclusteraddons',
  scope: 'Namespaced',
  shortNames: ['mca', 'mcas'],
  description: 'An add-on of the cluster in whose namespace the object is, by the name of the add-on.',
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
/** How far a configuration of an add-on has come on a cluster. */
export interface ConfigReference extends Read<typeof configReference> {}

/** An add-on of a cluster. */
export interface ManagedClusterAddOn extends ObjectOf<typeof definition> {}
export interface NewManagedClusterAddOn extends DraftOf<typeof definition> {}
export const ManagedClusterAddOn: DefinedKind<ManagedClusterAddOn, NewManagedClusterAddOn> = definition
