import { type DefaultedField, type New, type Read, t } from '../schema/index.js'

const COUNT_OR_PERCENTAGE = '^((100|[0-9]{1,2})%|[0-9]+)$'

const pace = {
  minSuccessTime: t.defaulted(
    t.string({ description: 'For how long a cluster must be well before it counts as done, such as `5m`.' }),
    '0',
  ),
  progressDeadline: t.defaulted(
    t.string({
      description: 'For how long a cluster may take before it counts as failed, such as `1h`. None: for ever.',
      pattern: '^(([0-9])+[h|m|s])|None$',
    }),
    'None',
  ),
  maxFailures: t.defaulted(
    t.intOrString({
      description: 'How many clusters may fail before the rollout stops, as a number or a percentage.',
      pattern: COUNT_OR_PERCENTAGE,
    }),
    0,
  ),
}

const mandatoryDecisionGroup = t.object(
  {
    groupName: t.optional(t.string({ description: 'The name of the group. Goes before its index.' })),
    groupIndex: t.optional(t.integer({ description: 'The index of the group.', format: 'int32' })),
  },
  { description: 'One group of decisions.' },
)

const mandatory = {
  mandatoryDecisionGroups: t.optional(
    t.array(mandatoryDecisionGroup, {
      description: 'Groups of decisions that come first, and that no others follow unless they all succeed.',
    }),
  ),
}

const rolloutAll = t.object(pace, { description: 'For the type All.' })

const rolloutProgressive = t.object(
  {
    ...mandatory,
    ...pace,
    maxConcurrency: t.optional(
      t.intOrString({
        description: 'How many clusters may be under way at the same time, as a number or a percentage.',
        pattern: COUNT_OR_PERCENTAGE,
      }),
    ),
  },
  { description: 'For the type Progressive.' },
)

const rolloutProgressivePerGroup = t.object(
  { ...mandatory, ...pace },
  { description: 'For the type ProgressivePerGroup.' },
)

const rolloutStrategy = t.object(
  {
    type: t.defaulted(
      t.enum(['All', 'Progressive', 'ProgressivePerGroup'], {
        description:
          'Whether to go to all clusters at once, to some at a time, or to one group of decisions at a time.',
      }),
      'All',
    ),
    all: t.optional(rolloutAll),
    progressive: t.optional(rolloutProgressive),
    progressivePerGroup: t.optional(rolloutProgressivePerGroup),
  },
  { description: 'In which order and how fast a change goes to the clusters.' },
)

/** The field with a rollout strategy: to all at once unless told otherwise. */
export const rolloutStrategyField: DefaultedField<RolloutStrategy, NewRolloutStrategy> = t.defaulted(rolloutStrategy, {
  type: 'All',
  all: { progressDeadline: 'None' },
})

/** In which order and how fast a change goes to the clusters. */
export interface RolloutStrategy extends Read<typeof rolloutStrategy> {}
export interface NewRolloutStrategy extends New<typeof rolloutStrategy> {}
export type RolloutType = RolloutStrategy['type']
export interface RolloutAll extends Read<typeof rolloutAll> {}
export interface RolloutProgressive extends Read<typeof rolloutProgressive> {}
export interface RolloutProgressivePerGroup extends Read<typeof rolloutProgressivePerGroup> {}
export interface MandatoryDecisionGroup extends Read<typeof mandatoryDecisionGroup> {}
