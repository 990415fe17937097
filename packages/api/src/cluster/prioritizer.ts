import { type Read, t } from '../schema/index.js'

const scoreCoordinate = t.object(
  {
    type: t.defaulted(
      t.enum(['BuiltIn', 'AddOn'], {
        description:
          'Type is BuiltIn for a score that the hub computes, or AddOn for a score that an add-on reports. Defaults ' +
          'to BuiltIn.',
      }),
      'BuiltIn',
      { required: true },
    ),
    builtIn: t.optional(
      t.string({
        description:
          'BuiltIn is the name of a built-in prioritizer. Balance prefers clusters with few decisions. Steady ' +
          'prefers clusters that are already selected. ResourceAllocatableCPU and ResourceAllocatableMemory prefer ' +
          'clusters with the most allocatable CPU or memory. ResourceRatioCPU, ResourceRatioMemory and ClusterHealth ' +
          'use the ManagedClusterScores of the calculators with these names.',
      }),
    ),
    addOn: t.optional(
      t.object(
        {
          resourceName: t.string({
            description:
              'ResourceName is the name of the AddOnPlacementScore, or `managedclusterscore` for a ManagedClusterScore.',
          }),
          scoreName: t.string({
            description:
              'ScoreName is the name of the score in the AddOnPlacementScore, or of the calculator of the ' +
              'ManagedClusterScore.',
          }),
        },
        { description: 'AddOn refers to a score in an AddOnPlacementScore.' },
      ),
    ),
  },
  { description: 'ScoreCoordinate refers to a score.' },
)

const configuration = t.object(
  {
    scoreCoordinate,
    weight: t.defaulted(
      t.integer({
        description:
          'Weight is the weight of the score, from -10 to 10. With a negative weight, clusters with a high score ' +
          'are avoided. Defaults to 1.',
        format: 'int32',
        minimum: -10,
        maximum: 10,
      }),
      1,
    ),
  },
  { description: 'PrioritizerConfig is the weight of one score.' },
)

/** The schema of the prioritizer policy of a placement. */
export const prioritizerPolicy = t.object(
  {
    mode: t.defaulted(
      t.string({
        description:
          'Mode is Additive or Exact. Additive uses the default prioritizers, Balance and Steady, in addition to ' +
          'configurations. Exact uses configurations only. Defaults to Additive.',
      }),
      'Additive',
    ),
    configurations: t.optional(t.array(configuration, { description: 'Configurations lists the weights of scores.' })),
  },
  { description: 'PrioritizerPolicy describes which of the matching clusters are preferred.' },
)

/** PrioritizerPolicy describes which of the matching clusters are preferred. */
export interface PrioritizerPolicy extends Read<typeof prioritizerPolicy> {}
export interface PrioritizerConfig extends Read<typeof configuration> {}
export interface ScoreCoordinate extends Read<typeof scoreCoordinate> {}
