import { type Read, t } from '../schema/index.js'
import { addOnMeta } from './addon-meta.js'
import { configTypeFields, desiredConfig, lastAppliedConfig, supportedConfigTypes } from './config.js'

const relatedObject = t.object(
  {
    group: t.string({ description: 'Group is the API group of the object.' }),
    resource: t.string({ description: 'Resource is the plural resource name of the object.' }),
    namespace: t.optional(t.string({ description: 'Namespace is the namespace of the object.' })),
    name: t.string({ description: 'Name is the name of the object.' }),
  },
  { description: 'ObjectReference refers to an object on the hub.' },
)

const healthCheck = t.object(
  {
    mode: t.defaulted(
      t.enum(['Lease', 'Customized'], {
        description:
          'Mode is Lease or Customized. With Lease, the agent of the cluster checks a Lease of the add-on. With ' +
          "Customized, the add-on's controller reports availability. Defaults to Lease.",
      }),
      'Lease',
    ),
  },
  { description: 'HealthCheck describes how the availability of the add-on is determined.' },
)

/** The schema of the type of credentials of an add-on's agent. */
export const kubeClientDriver = t.enum(['csr', 'token'], {
  description: 'KubeClientDriver is csr for a client certificate or token for a service account token.',
})

/** The fields of a configuration reference that all versions share. */
export const configReferenceFields = {
  ...configTypeFields,
  lastObservedGeneration: t.optional(
    t.integer({
      description: 'LastObservedGeneration is the last observed generation of the configuration.',
      format: 'int64',
    }),
  ),
  desiredConfig: t.optional(desiredConfig),
  lastAppliedConfig: t.optional(lastAppliedConfig),
}

/** The status fields that all versions share. */
export const managedClusterAddOnStatusFields = {
  conditions: t.optional(t.conditions({ description: 'Conditions describe the state of the add-on on the cluster.' })),
  relatedObjects: t.optional(
    t.array(relatedObject, { description: 'RelatedObjects lists objects on the hub that are related to the add-on.' }),
  ),
  addOnMeta: t.optional(addOnMeta),
  supportedConfigs: t.optional(supportedConfigTypes),
  healthCheck: t.optional(healthCheck),
  namespace: t.optional(t.string({ description: 'Namespace is the namespace of the agent on the managed cluster.' })),
}

/** An object on the hub that is related to an add-on. */
export interface RelatedObject extends Read<typeof relatedObject> {}
/** How the availability of an add-on is determined. */
export interface HealthCheck extends Read<typeof healthCheck> {}
export type HealthCheckMode = HealthCheck['mode']
export type KubeClientDriver = Read<typeof kubeClientDriver>
