import type { CustomResourceColumnDefinition, DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { addOnMeta } from './addon-meta.js'
import { defaultConfigs } from './config.js'
import { defaultConfigReferences, installProgressions } from './install-progress.js'
import { installStrategyField } from './install-strategy.js'
import { ADDON_GROUP } from './names.js'

const spec = t.object(
  {
    addOnMeta: t.optional(addOnMeta),
    defaultConfigs: t.optional(defaultConfigs),
    installStrategy: installStrategyField,
  },
  { description: 'Spec describes the add-on, its configurations and its installation.' },
)

const status = t.object(
  {
    defaultConfigReferences: t.optional(defaultConfigReferences),
    installProgressions: t.optional(installProgressions),
  },
  { description: 'Status reports the installation of the add-on.' },
)

/** The parts of the definition that all versions share. */
export const clusterManagementAddOnKind = {
  group: ADDON_GROUP,
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  scope: 'Cluster',
  shortNames: ['cma', 'cmas'],
  description:
    'ClusterManagementAddOn represents an add-on of managed clusters. The ManagedClusterAddOns of the add-on ' +
    'have the same name.',
  statusSubresource: true,
} as const

/** A column with the display name. */
export const DISPLAY_NAME_COLUMN: CustomResourceColumnDefinition = {
  name: 'DISPLAY NAME',
  type: 'string',
  jsonPath: '.spec.addOnMeta.displayName',
}

const definition = defineKind({
  ...clusterManagementAddOnKind,
  version: 'v1beta1',
  storage: false,
  fields: { spec, status: t.optional(status) },
  columns: [DISPLAY_NAME_COLUMN],
})

export interface ClusterManagementAddOnSpec extends Read<typeof spec> {}
export interface NewClusterManagementAddOnSpec extends New<typeof spec> {}
export interface ClusterManagementAddOnStatus extends Read<typeof status> {}

/** An add-on for managed clusters. */
export interface ClusterManagementAddOn extends ObjectOf<typeof definition> {}
export interface NewClusterManagementAddOn extends DraftOf<typeof definition> {}
export const ClusterManagementAddOn: DefinedKind<ClusterManagementAddOn, NewClusterManagementAddOn> = definition
