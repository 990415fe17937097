import { rolloutStrategyField } from '../cluster/rollout.js'
import { type New, type Read, t } from '../schema/index.js'
import { addOnConfigs } from './config.js'

/** The fields that say which Placement is meant. */
export const placementRefFields = {
  namespace: t.string({ description: 'The namespace of the placement.', minLength: 1 }),
  name: t.string({ description: 'The name of the placement.', minLength: 1 }),
}

const placementStrategy = t.object(
  {
    ...placementRefFields,
    configs: t.optional(t.described(addOnConfigs, 'What configures the add-on on the clusters of the placement.')),
    rolloutStrategy: t.defaulted(rolloutStrategyField.schema, { type: 'All' }),
  },
  { description: 'How the add-on gets to the clusters that a placement chooses.' },
)

const installStrategy = t.object(
  {
    type: t.defaulted(
      t.enum(['Manual', 'Placements'], {
        description: 'Whether clusters get the add-on when somebody says so, or when a placement chooses them.',
      }),
      'Manual',
    ),
    placements: t.optional(
      t.array(placementStrategy, {
        description: 'For Placements: who chooses. For a cluster that several choose, the last one counts.',
        listType: 'map',
        listMapKeys: ['namespace', 'name'],
      }),
    ),
  },
  { description: 'Which clusters get the add-on.' },
)

/** The field with which clusters get an add-on: none unless told otherwise. */
export const installStrategyField = t.defaulted(installStrategy, { type: 'Manual' })

/** Which clusters get an add-on. */
export interface InstallStrategy extends Read<typeof installStrategy> {}
export interface NewInstallStrategy extends New<typeof installStrategy> {}
export type InstallStrategyType = InstallStrategy['type']
/** How an add-on gets to the clusters that a placement chooses. */
export interface PlacementStrategy extends Read<typeof placementStrategy> {}
