import { type Read, t } from '../schema/index.js'
import { configTypeFields, desiredConfig, lastAppliedConfig, lastKnownGoodConfig } from './config.js'
import { placementRefFields } from './install-strategy.js'

const defaultConfigReference = t.object(
  { ...configTypeFields, desiredConfig: t.optional(desiredConfig) },
  { description: 'DefaultConfigReference is the state of a default configuration.' },
)

const installConfigReference = t.object(
  {
    ...configTypeFields,
    desiredConfig: t.optional(desiredConfig),
    lastKnownGoodConfig: t.optional(lastKnownGoodConfig),
    lastAppliedConfig: t.optional(lastAppliedConfig),
  },
  { description: 'InstallConfigReference is the rollout state of a configuration.' },
)

const installProgression = t.object(
  {
    ...placementRefFields,
    configReferences: t.optional(
      t.array(installConfigReference, {
        description: 'ConfigReferences lists the rollout state of each configuration.',
      }),
    ),
    conditions: t.optional(t.conditions({ description: 'Conditions describe the state of the installation.' })),
  },
  { description: 'InstallProgression is the state of the installation on the clusters of one placement.' },
)

/** The schema of the state of the default configurations. */
export const defaultConfigReferences = t.array(defaultConfigReference, {
  description: 'DefaultConfigReferences lists the state of the default configurations.',
})

/** The schema of the state of the installation. */
export const installProgressions = t.array(installProgression, {
  description: 'InstallProgressions lists the state of the installation for each placement.',
})

/** The state of a default configuration. */
export interface DefaultConfigReference extends Read<typeof defaultConfigReference> {}
/** The rollout state of a configuration on the clusters of a placement. */
export interface InstallConfigReference extends Read<typeof installConfigReference> {}
/** The state of the installation on the clusters of a placement. */
export interface InstallProgression extends Read<typeof installProgression> {}
