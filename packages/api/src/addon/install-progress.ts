import { type Read, t } from '../schema/index.js'
import { configTypeFields, desiredConfig, lastAppliedConfig, lastKnownGoodConfig } from './config.js'
import { placementRefFields } from './install-strategy.js'

const defaultConfigReference = t.object(
  { ...configTypeFields, desiredConfig: t.optional(desiredConfig) },
  { description: 'A default configuration.' },
)

const installConfigReference = t.object(
  {
    ...configTypeFields,
    desiredConfig: t.optional(desiredConfig),
    lastKnownGoodConfig: t.optional(lastKnownGoodConfig),
    lastAppliedConfig: t.optional(lastAppliedConfig),
  },
  { description: 'How far a configuration has come.' },
)

const installProgression = t.object(
  {
    ...placementRefFields,
    configReferences: t.optional(
      t.array(installConfigReference, { description: 'How far the configurations have come.' }),
    ),
    conditions: t.optional(t.conditions({ description: 'How the installation fares.' })),
  },
  { description: 'How far the add-on has come on the clusters that a placement chooses.' },
)

/** The schema of the default configurations of an add-on as they are. */
export const defaultConfigReferences = t.array(defaultConfigReference, {
  description: 'The default configurations, as they are.',
})

/** The schema of how far an add-on has come. */
export const installProgressions = t.array(installProgression, {
  description: 'How far the add-on has come, one entry a placement.',
})

/** A default configuration of an add-on, as it is. */
export interface DefaultConfigReference extends Read<typeof defaultConfigReference> {}
/** How far a configuration has come on the clusters of a placement. */
export interface InstallConfigReference extends Read<typeof installConfigReference> {}
/** How far an add-on has come on the clusters of a placement. */
export interface InstallProgression extends Read<typeof installProgression> {}
