import { rolloutStrategyField } from '../cluster/rollout.js'
import { type New, type Read, t } from '../schema/index.js'
import { addOnConfigs } from './config.js'

/** The fields of a reference to a Placement. */
export const placementRefFields = {
  namespace: t.string({ description: 'Namespace is the namespace of the placement.', minLength: 1 }),
  name: t.string({ description: 'Name is the name of the placement.', minLength: 1 }),
}

const placementStrategy = t.object(
  {
    ...placementRefFields,
    configs: t.optional(
      t.described(addOnConfigs, 'Configs lists the configurations of the add-on on the clusters of the placement.'),
    ),
    rolloutStrategy: t.defaulted(rolloutStrategyField.schema, { type: 'All' }),
  },
  { description: 'PlacementStrategy configures the installation on the clusters of one placement.' },
)

const installStrategy = t.object(
  {
    type: t.defaulted(
      t.enum(['Manual', 'Placements'], {
        description:
          'Type is Manual or Placements. With Manual, the add-on is installed by creating a ManagedClusterAddOn. ' +
          'With Placements, it is installed on the clusters that the placements select. Defaults to Manual.',
      }),
      'Manual',
    ),
    placements: t.optional(
      t.array(placementStrategy, {
        description:
          'Placements lists the placements that select clusters. If several select the same cluster, the last ' +
          'applies. It is used if type is Placements.',
        listType: 'map',
        listMapKeys: ['namespace', 'name'],
      }),
    ),
  },
  { description: 'InstallStrategy describes the clusters that the add-on is installed on.' },
)

/** The installStrategy field. Defaults to Manual. */
export const installStrategyField = t.defaulted(installStrategy, { type: 'Manual' })

/** The clusters that an add-on is installed on. */
export interface InstallStrategy extends Read<typeof installStrategy> {}
export interface NewInstallStrategy extends New<typeof installStrategy> {}
export type InstallStrategyType = InstallStrategy['type']
/** The installation of an add-on on the clusters of a placement. */
export interface PlacementStrategy extends Read<typeof placementStrategy> {}
