import { type DefaultedField, type New, type Read, t } from '../schema/index.js'

const COUNT_OR_PERCENTAGE = '^((100|[0-9]{1,2})%|[0-9]+)$'

const pace = {
  minSuccessTime: t.defaulted(
    t.string({
      description:
        'MinSuccessTime is how long a cluster must stay in the succeeded state before the rollout continues, for ' +
        'example `5m`. Defaults to 0.',
    }),
    '0',
  ),
  progressDeadline: t.defaulted(
    t.string({
      description:
        'ProgressDeadline is how long a cluster can progress before it counts as failed, for example `1h`. None ' +
        'means no deadline. Defaults to None.',
      pattern: '^(([0-9])+[h|m|s])|None$',
    }),
    'None',
  ),
  maxFailures: t.defaulted(
    t.intOrString({
      description:
        'MaxFailures is the number or percentage of clusters that can fail before the rollout stops. Within that ' +
        'limit the rollout continues once every cluster of the batch has succeeded or failed. Defaults to 0.',
      pattern: COUNT_OR_PERCENTAGE,
    }),
    0,
  ),
}

const mandatoryDecisionGroup = t.object(
  {
    groupName: t.optional(
      t.string({ description: 'GroupName is the name of the decision group. It takes precedence over groupIndex.' }),
    ),
    groupIndex: t.optional(
      t.integer({ description: 'GroupIndex is the index of the decision group.', format: 'int32' }),
    ),
  },
  { description: 'MandatoryDecisionGroup refers to a decision group of the placement.' },
)

const mandatory = {
  mandatoryDecisionGroups: t.optional(
    t.array(mandatoryDecisionGroup, {
      description:
        'MandatoryDecisionGroups lists decision groups that are rolled out first. The rollout continues only if ' +
        'all their clusters succeed.',
    }),
  ),
}

const rolloutAll = t.object(pace, {
  description: 'All configures the rollout to all clusters at once. It is used if type is All.',
})

const rolloutProgressive = t.object(
  {
    ...mandatory,
    ...pace,
    maxConcurrency: t.optional(
      t.intOrString({
        description:
          'MaxConcurrency is the number or percentage of clusters that are rolled out at the same time. If unset, ' +
          'all clusters are rolled out at the same time.',
        pattern: COUNT_OR_PERCENTAGE,
      }),
    ),
  },
  { description: 'Progressive configures the rollout in batches. It is used if type is Progressive.' },
)

const rolloutProgressivePerGroup = t.object(
  { ...mandatory, ...pace },
  {
    description:
      'ProgressivePerGroup configures the rollout by decision groups. It is used if type is ' + 'ProgressivePerGroup.',
  },
)

const rolloutStrategy = t.object(
  {
    type: t.defaulted(
      t.enum(['All', 'Progressive', 'ProgressivePerGroup'], {
        description:
          'Type is All for all clusters at once, Progressive for batches of maxConcurrency clusters, or ' +
          'ProgressivePerGroup for one decision group at a time. Defaults to All.',
      }),
      'All',
    ),
    all: t.optional(rolloutAll),
    progressive: t.optional(rolloutProgressive),
    progressivePerGroup: t.optional(rolloutProgressivePerGroup),
  },
  { description: 'RolloutStrategy describes the order and pace of a rollout to clusters.' },
)

/** The rolloutStrategy field. Defaults to All. */
export const rolloutStrategyField: DefaultedField<RolloutStrategy, NewRolloutStrategy> = t.defaulted(rolloutStrategy, {
  type: 'All',
  all: { progressDeadline: 'None' },
})

/** RolloutStrategy describes the order and pace of a rollout to clusters. */
export interface RolloutStrategy extends Read<typeof rolloutStrategy> {}
export interface NewRolloutStrategy extends New<typeof rolloutStrategy> {}
export type RolloutType = RolloutStrategy['type']
export interface RolloutAll extends Read<typeof rolloutAll> {}
export interface RolloutProgressive extends Read<typeof rolloutProgressive> {}
export interface RolloutProgressivePerGroup extends Read<typeof rolloutProgressivePerGroup> {}
export interface MandatoryDecisionGroup extends Read<typeof mandatoryDecisionGroup> {}
