import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { ADDON_NAMESPACE } from '../cluster/registration.js'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { addOnConfiguration } from './addon-meta.js'
import { addOnConfigs, configRefFields } from './config.js'
import { managedClusterAddOnKind } from './managed-cluster-addon.js'
import {
  configReferenceFields,
  kubeClientDriver,
  managedClusterAddOnStatusFields,
} from './managed-cluster-addon-status.js'
import { registrationsV1Alpha1 } from './registration.js'

/** The length and pattern of namespace names. */
export const INSTALL_NAMESPACE = { maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' } as const

const configReference = t.object(
  { ...configRefFields, ...configReferenceFields },
  {
    description: 'ConfigReference is the rollout state of a configuration. Its reference is repeated in desiredConfig.',
  },
)

const spec = t.object(
  {
    installNamespace: t.defaulted(
      t.string({
        description:
          'InstallNamespace is the namespace of the agent on the managed cluster. Defaults to ' +
          'open-cluster-management-agent-addon.',
        ...INSTALL_NAMESPACE,
      }),
      ADDON_NAMESPACE,
    ),
    configs: t.optional(addOnConfigs),
  },
  {
    description:
      'Spec configures the add-on on this cluster. Its configs take precedence over those of the ' +
      'ClusterManagementAddOn.',
  },
)

const status = t.object(
  {
    ...managedClusterAddOnStatusFields,
    addOnConfiguration: t.optional(addOnConfiguration),
    configReferences: t.optional(
      t.array(configReference, { description: 'ConfigReferences lists the rollout state of each configuration.' }),
    ),
    registrations: t.optional(registrationsV1Alpha1),
    kubeClientDriver: t.optional(kubeClientDriver),
  },
  { description: 'Status is the state of the add-on on the cluster.' },
)

const definition = defineKind({
  ...managedClusterAddOnKind,
  version: 'v1alpha1',
  fields: { spec, status: t.optional(status) },
})

export interface ManagedClusterAddOnSpecV1Alpha1 extends Read<typeof spec> {}
export interface ManagedClusterAddOnStatusV1Alpha1 extends Read<typeof status> {}
export interface ConfigReferenceV1Alpha1 extends Read<typeof configReference> {}

/** An add-on of a cluster in v1alpha1, for hubs before Open Cluster Management 1.3. */
export interface ManagedClusterAddOnV1Alpha1 extends ObjectOf<typeof definition> {}
export interface NewManagedClusterAddOnV1Alpha1 extends DraftOf<typeof definition> {}
export const ManagedClusterAddOnV1Alpha1: DefinedKind<ManagedClusterAddOnV1Alpha1, NewManagedClusterAddOnV1Alpha1> =
  definition
