import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { addOnConfiguration, addOnMeta } from './addon-meta.js'
import { clusterManagementAddOnKind, DISPLAY_NAME_COLUMN } from './cluster-management-addon.js'
import { configRefFields, configTypeFields } from './config.js'
import { defaultConfigReferences, installProgressions } from './install-progress.js'
import { installStrategyField } from './install-strategy.js'

const supportedConfig = t.object(
  {
    ...configTypeFields,
    defaultConfig: t.optional(
      t.object(configRefFields, { description: 'The object that configures the add-on unless another is named.' }),
    ),
  },
  { description: 'A kind of objects that configure the add-on.' },
)

const spec = t.object(
  {
    addOnMeta: t.optional(addOnMeta),
    addOnConfiguration: t.optional(addOnConfiguration),
    supportedConfigs: t.optional(
      t.array(supportedConfig, {
        description: 'Which kinds of objects configure the add-on.',
        listType: 'map',
        listMapKeys: ['group', 'resource'],
      }),
    ),
    installStrategy: installStrategyField,
  },
  { description: 'What the add-on is, and where it is wanted.' },
)

const status = t.object(
  {
    defaultconfigReferences: t.optional(defaultConfigReferences),
    installProgressions: t.optional(installProgressions),
  },
  { description: 'How far the add-on has come.' },
)

const definition = defineKind({
  ...clusterManagementAddOnKind,
  version: 'v1alpha1',
  fields: { spec, status: t.optional(status) },
  columns: [DISPLAY_NAME_COLUMN, { name: 'CRD NAME', type: 'string', jsonPath: '.spec.addOnConfiguration.crdName' }],
})

export interface ClusterManagementAddOnSpecV1Alpha1 extends Read<typeof spec> {}
export interface NewClusterManagementAddOnSpecV1Alpha1 extends New<typeof spec> {}
export interface ClusterManagementAddOnStatusV1Alpha1 extends Read<typeof status> {}
export interface SupportedConfigV1Alpha1 extends Read<typeof supportedConfig> {}

/** An add-on that managed clusters can have, as hubs before Open Cluster Management 1.3 know it. */
export interface ClusterManagementAddOnV1Alpha1 extends ObjectOf<typeof definition> {}
export interface NewClusterManagementAddOnV1Alpha1 extends DraftOf<typeof definition> {}
export const ClusterManagementAddOnV1Alpha1: DefinedKind<
  ClusterManagementAddOnV1Alpha1,
  NewClusterManagementAddOnV1Alpha1
> = definition
