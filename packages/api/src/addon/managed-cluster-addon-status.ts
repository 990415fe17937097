import { type Read, t } from '../schema/index.js'
import { addOnMeta } from './addon-meta.js'
import { configTypeFields, desiredConfig, lastAppliedConfig, supportedConfigTypes } from './config.js'

const relatedObject = t.object(
  {
    group: t.string({ description: 'The API group of the object.' }),
    resource: t.string({ description: 'The resource of the object, in the plural.' }),
    namespace: t.optional(t.string({ description: 'The namespace of the object.' })),
    name: t.string({ description: 'The name of the object.' }),
  },
  { description: 'An object on the hub.' },
)

const healthCheck = t.object(
  {
    mode: t.defaulted(
      t.enum(['Lease', 'Customized'], {
        description: 'Whether the agent of the cluster looks at a lease of the add-on, or something else says so.',
      }),
      'Lease',
    ),
  },
  { description: 'How it is known whether the add-on is well.' },
)

/** The schema of how the agent of an add-on identifies itself on the hub. */
export const kubeClientDriver = t.enum(['csr', 'token'], {
  description: 'Whether the agent has a certificate or the token of a service account.',
})

/** The fields of a reference to a configuration that all versions have. */
export const configReferenceFields = {
  ...configTypeFields,
  lastObservedGeneration: t.optional(
    t.integer({ description: 'The generation of the configuration that was last seen.', format: 'int64' }),
  ),
  desiredConfig: t.optional(desiredConfig),
  lastAppliedConfig: t.optional(lastAppliedConfig),
}

/** The fields of the status that all versions have. */
export const managedClusterAddOnStatusFields = {
  conditions: t.optional(t.conditions({ description: 'How the add-on fares.' })),
  relatedObjects: t.optional(t.array(relatedObject, { description: 'Objects on the hub that have to do with it.' })),
  addOnMeta: t.optional(addOnMeta),
  supportedConfigs: t.optional(supportedConfigTypes),
  healthCheck: t.optional(healthCheck),
  namespace: t.optional(t.string({ description: 'The namespace on the cluster that the add-on is in.' })),
}

/** An object on the hub that has to do with an add-on. */
export interface RelatedObject extends Read<typeof relatedObject> {}
/** How it is known whether an add-on is well. */
export interface HealthCheck extends Read<typeof healthCheck> {}
export type HealthCheckMode = HealthCheck['mode']
export type KubeClientDriver = Read<typeof kubeClientDriver>
