import type { DraftOf, ObjectOf } from '@orrery/kube'
import type { CustomResourceColumnDefinition } from '@orrery/kube/kinds'
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
  { description: 'What the add-on is, and where it is wanted.' },
)

const status = t.object(
  {
    defaultConfigReferences: t.optional(defaultConfigReferences),
    installProgressions: t.optional(installProgressions),
  },
  { description: 'How far the add-on has come.' },
)

/** What is the same of the kind in all versions. */
export const clusterManagementAddOnKind = {
  group: ADDON_GROUP,
  kind: 'ClusterManagementAddOn',
  plural: 'clustermanagementaddons',
  scope: 'Cluster',
  shortNames: ['cma', 'cmas'],
  description: 'An add-on that managed clusters can have. It goes by the same name on every cluster.',
  statusSubresource: true,
} as const

/** A column with what people call the add-on. */
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

/** An add-on that managed clusters can have. */
export interface ClusterManagementAddOn extends ObjectOf<typeof definition> {}
export interface NewClusterManagementAddOn extends DraftOf<typeof definition> {}
export const ClusterManagementAddOn: DefinedKind<ClusterManagementAddOn, NewClusterManagementAddOn> = definition
