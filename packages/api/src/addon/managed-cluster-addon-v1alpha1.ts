import type { DraftOf, ObjectOf } from '@orrery/kube'
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

/** What the name of a namespace looks like. */
export const INSTALL_NAMESPACE = { maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' } as const

const configReference = t.object(
  { ...configRefFields, ...configReferenceFields },
  { description: 'How far a configuration has come. Its name is repeated in what is wanted.' },
)

const spec = t.object(
  {
    installNamespace: t.defaulted(
      t.string({ description: 'The namespace on the cluster that the add-on goes to.', ...INSTALL_NAMESPACE }),
      ADDON_NAMESPACE,
    ),
    configs: t.optional(addOnConfigs),
  },
  { description: 'How the add-on is wanted on the cluster. What it says goes before what others say.' },
)

const status = t.object(
  {
    ...managedClusterAddOnStatusFields,
    addOnConfiguration: t.optional(addOnConfiguration),
    configReferences: t.optional(
      t.array(configReference, { description: 'The configurations, and how far they have come.' }),
    ),
    registrations: t.optional(registrationsV1Alpha1),
    kubeClientDriver: t.optional(kubeClientDriver),
  },
  { description: 'How the add-on fares on the cluster.' },
)

const definition = defineKind({
  ...managedClusterAddOnKind,
  version: 'v1alpha1',
  fields: { spec, status: t.optional(status) },
})

export interface ManagedClusterAddOnSpecV1Alpha1 extends Read<typeof spec> {}
export interface ManagedClusterAddOnStatusV1Alpha1 extends Read<typeof status> {}
export interface ConfigReferenceV1Alpha1 extends Read<typeof configReference> {}

/** An add-on of a cluster, as hubs before Open Cluster Management 1.3 know it. */
export interface ManagedClusterAddOnV1Alpha1 extends ObjectOf<typeof definition> {}
export interface NewManagedClusterAddOnV1Alpha1 extends DraftOf<typeof definition> {}
export const ManagedClusterAddOnV1Alpha1: DefinedKind<ManagedClusterAddOnV1Alpha1, NewManagedClusterAddOnV1Alpha1> =
  definition
