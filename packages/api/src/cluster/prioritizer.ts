import { type Read, t } from '../schema/index.js'

const scoreCoordinate = t.object(
  {
    type: t.defaulted(
      t.enum(['BuiltIn', 'AddOn'], { description: 'Whether the score is computed here or by an add-on.' }),
      'BuiltIn',
      { required: true },
    ),
    builtIn: t.optional(
      t.string({
        description:
          'The prioritizer that computes the score: Balance prefers clusters with few decisions, Steady those decided ' +
          'for already, ResourceAllocatableCPU and ResourceAllocatableMemory those with the most to allocate.',
      }),
    ),
    addOn: t.optional(
      t.object(
        {
          resourceName: t.string({ description: 'The name of the AddOnPlacementScore.' }),
          scoreName: t.string({ description: 'The name of the score in it.' }),
        },
        { description: 'Where an add-on puts the score.' },
      ),
    ),
  },
  { description: 'Which score is meant.' },
)

const configuration = t.object(
  {
    scoreCoordinate,
    weight: t.defaulted(
      t.integer({
        description: 'What the score counts. Clusters with a high score are shunned when it is negative.',
        format: 'int32',
        minimum: -10,
        maximum: 10,
      }),
      1,
    ),
  },
  { description: 'What one score counts.' },
)

/** The schema of the order in which clusters are preferred. */
export const prioritizerPolicy = t.object(
  {
    mode: t.defaulted(
      t.string({
        description:
          'Additive adds the configurations to the prioritizers that are on by default, Balance and Steady; with ' +
          'Exact there are no others than those configured.',
      }),
      'Additive',
    ),
    configurations: t.optional(t.array(configuration, { description: 'What each score counts.' })),
  },
  { description: 'Which of the clusters that could be chosen are preferred.' },
)

/** Which of the clusters that could be chosen are preferred. */
export interface PrioritizerPolicy extends Read<typeof prioritizerPolicy> {}
export interface PrioritizerConfig extends Read<typeof configuration> {}
export interface ScoreCoordinate extends Read<typeof scoreCoordinate> {}
