import type { DraftOf, ObjectOf } from '@orrery/kinds'
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
      t.object(configRefFields, { description: 'DefaultConfig is the default configuration object of this type.' }),
    ),
  },
  { description: 'ConfigMeta is a type of configuration that the add-on supports.' },
)

const spec = t.object(
  {
    addOnMeta: t.optional(addOnMeta),
    addOnConfiguration: t.optional(addOnConfiguration),
    supportedConfigs: t.optional(
      t.array(supportedConfig, {
        description: 'SupportedConfigs lists the types of configuration that the add-on supports.',
        listType: 'map',
        listMapKeys: ['group', 'resource'],
      }),
    ),
    installStrategy: installStrategyField,
  },
  { description: 'Spec describes the add-on, its configurations and its installation.' },
)

const status = t.object(
  {
    defaultconfigReferences: t.optional(defaultConfigReferences),
    installProgressions: t.optional(installProgressions),
  },
  { description: 'Status reports the installation of the add-on.' },
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

/** An add-on for managed clusters in v1alpha1, for hubs before Open Cluster Management 1.3. */
export interface ClusterManagementAddOnV1Alpha1 extends ObjectOf<typeof definition> {}
export interface NewClusterManagementAddOnV1Alpha1 extends DraftOf<typeof definition> {}
export const ClusterManagementAddOnV1Alpha1: DefinedKind<
  ClusterManagementAddOnV1Alpha1,
  NewClusterManagementAddOnV1Alpha1
> = definition
