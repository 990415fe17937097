import { type New, type Read, t } from '../schema/index.js'

/** The fields that say which kind of objects an add-on is configured with. */
export const configTypeFields = {
  group: t.defaulted(t.string({ description: 'The API group of the configuration; empty for the core group.' }), ''),
  resource: t.string({ description: 'The resource of the configuration, in the plural.', minLength: 1 }),
}

/** The fields that say which object of that kind is meant. */
export const configRefFields = {
  namespace: t.optional(t.string({ description: 'The namespace of the configuration; left out for none.' })),
  name: t.string({ description: 'The name of the configuration.', minLength: 1 }),
}

const configType = t.object(configTypeFields, { description: 'A kind of objects that configure the add-on.' })

const addOnConfig = t.object(
  { ...configTypeFields, ...configRefFields },
  { description: 'An object that configures the add-on.' },
)

const configSpecHash = t.object(
  {
    ...configRefFields,
    specHash: t.optional(t.string({ description: 'A hash of the spec of the configuration.' })),
  },
  { description: 'A configuration, as it was at some time.' },
)

/** The schema of a list of objects that configure an add-on. */
export const addOnConfigs = t.array(addOnConfig, {
  description: 'What configures the add-on. Of the same kind, the last one counts.',
})

/** The schema of a list of configurations that has one of each kind. */
export const defaultConfigs = t.array(addOnConfig, {
  description: 'Which kinds of objects configure the add-on, and those that do unless others are named.',
  listType: 'map',
  listMapKeys: ['group', 'resource'],
})

/** The schema of a list of kinds that an add-on can be configured with. */
export const supportedConfigTypes = t.array(configType, {
  description: 'Which kinds of objects configure the add-on.',
  listType: 'map',
  listMapKeys: ['group', 'resource'],
})

/** The schema of the configuration that an add-on is to have. */
export const desiredConfig = t.described(configSpecHash, 'The configuration that is wanted.')

/** The schema of the configuration that an add-on has. */
export const lastAppliedConfig = t.described(configSpecHash, 'The configuration that was last applied successfully.')

/** The schema of the configuration that went well everywhere. */
export const lastKnownGoodConfig = t.described(configSpecHash, 'The configuration that last went well on all clusters.')

/** An object that configures an add-on. */
export interface AddOnConfig extends Read<typeof addOnConfig> {}
export interface NewAddOnConfig extends New<typeof addOnConfig> {}
/** A kind of objects that configure an add-on. */
export interface AddOnConfigType extends Read<typeof configType> {}
/** A configuration, as it was at some time. */
export interface ConfigSpecHash extends Read<typeof configSpecHash> {}
