import { type New, type Read, t } from '../schema/index.js'

/** The fields of a configuration type. */
export const configTypeFields = {
  group: t.defaulted(
    t.string({ description: 'Group is the API group of the configuration. Empty for the core group.' }),
    '',
  ),
  resource: t.string({ description: 'Resource is the plural resource name of the configuration.', minLength: 1 }),
}

/** The fields of a reference to a configuration object. */
export const configRefFields = {
  namespace: t.optional(
    t.string({
      description: 'Namespace is the namespace of the configuration. Unset for cluster-scoped configurations.',
    }),
  ),
  name: t.string({ description: 'Name is the name of the configuration.', minLength: 1 }),
}

const configType = t.object(configTypeFields, { description: 'ConfigGroupResource is a type of configuration.' })

const addOnConfig = t.object(
  { ...configTypeFields, ...configRefFields },
  { description: 'AddOnConfig refers to a configuration object.' },
)

const configSpecHash = t.object(
  {
    ...configRefFields,
    specHash: t.optional(t.string({ description: 'SpecHash is a hash of the spec of the configuration.' })),
  },
  { description: 'ConfigSpecHash refers to a configuration object and its spec hash.' },
)

/** The schema of a list of configurations. */
export const addOnConfigs = t.array(addOnConfig, {
  description: 'Configs lists the configurations of the add-on. If several have the same type, the last applies.',
})

/** The schema of the default configurations, one for each type. */
export const defaultConfigs = t.array(addOnConfig, {
  description: 'DefaultConfigs lists the types of configuration that the add-on supports, with the default of each.',
  listType: 'map',
  listMapKeys: ['group', 'resource'],
})

/** The schema of a list of supported configuration types. */
export const supportedConfigTypes = t.array(configType, {
  description: 'SupportedConfigs lists the types of configuration that the add-on supports.',
  listType: 'map',
  listMapKeys: ['group', 'resource'],
})

/** The schema of the desired configuration. */
export const desiredConfig = t.described(configSpecHash, 'DesiredConfig is the desired configuration.')

/** The schema of the last applied configuration. */
export const lastAppliedConfig = t.described(
  configSpecHash,
  'LastAppliedConfig is the configuration that was last applied successfully.',
)

/** The schema of the last known good configuration. */
export const lastKnownGoodConfig = t.described(
  configSpecHash,
  'LastKnownGoodConfig is the configuration that was last rolled out successfully to all clusters.',
)

/** A reference to a configuration object. */
export interface AddOnConfig extends Read<typeof addOnConfig> {}
export interface NewAddOnConfig extends New<typeof addOnConfig> {}
/** A type of configuration. */
export interface AddOnConfigType extends Read<typeof configType> {}
/** ConfigSpecHash refers to a configuration object and its spec hash. */
export interface ConfigSpecHash extends Read<typeof configSpecHash> {}
