import type { DraftOf, ObjectOf } from '@orrery/kube'
import { conditionColumn, type DefinedKind, defineKind, QUALIFIED_NAME, type Read, t } from '../schema/index.js'
import { clusterSelector, groupClusterSelector } from './cluster-selector.js'
import { PlacementCondition } from './conditions.js'
import { CLUSTER_GROUP } from './names.js'
import { prioritizerPolicy } from './prioritizer.js'
import { taintEffect } from './taint.js'

const predicate = t.object(
  { requiredClusterSelector: t.optional(clusterSelector) },
  { description: 'One way for a cluster to qualify.' },
)

const spreadConstraint = t.object(
  {
    topologyKey: t.string({
      description: 'The label or claim whose values tell the groups of clusters apart.',
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$',
    }),
    topologyKeyType: t.enum(['Label', 'Claim'], { description: 'Whether the key is that of a label or of a claim.' }),
    maxSkew: t.defaulted(
      t.integer({
        description: 'By how many the decisions for any two groups may differ.',
        format: 'int32',
        minimum: 1,
      }),
      1,
    ),
    whenUnsatisfiable: t.defaulted(
      t.enum(['DoNotSchedule', 'ScheduleAnyway'], {
        description: 'Whether to rather choose fewer clusters, or to choose them less evenly.',
      }),
      'ScheduleAnyway',
    ),
  },
  { description: 'How evenly decisions are spread over groups of clusters.' },
)

const toleration = t.object(
  {
    key: t.optional(
      t.string({
        description: 'The key of the taints that are tolerated. Empty, with the operator Exists, means all of them.',
        maxLength: 316,
        pattern: QUALIFIED_NAME,
      }),
    ),
    operator: t.defaulted(
      t.string({ description: 'Equal compares the values too; Exists is content with the key.' }),
      'Equal',
    ),
    value: t.optional(t.string({ description: 'The value of the taints that are tolerated.', maxLength: 1024 })),
    effect: t.optional(t.described(taintEffect, 'The effect of the taints that are tolerated. Left out, any.')),
    tolerationSeconds: t.optional(
      t.integer({ description: 'For how long a taint is tolerated. Left out, for ever.', format: 'int64' }),
    ),
  },
  { description: 'Which taints of a cluster do not matter.' },
)

const decisionGroup = t.object(
  {
    groupName: t.string({
      description: 'The name of the group, which its decisions have as a label.',
      pattern: '^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$',
    }),
    groupClusterSelector,
  },
  { description: 'A group of decisions that is to come before the others.' },
)

const groupStrategy = t.object(
  {
    decisionGroups: t.optional(
      t.array(decisionGroup, {
        description: 'Groups in their order. A cluster is in the first that takes it; the rest is grouped by number.',
      }),
    ),
    clustersPerDecisionGroup: t.defaulted(
      t.intOrString({
        description: 'How many clusters make a group, as a number or as a percentage of those chosen.',
        pattern: '^((100|[1-9][0-9]{0,1})%|[1-9][0-9]*)$',
      }),
      '100%',
    ),
  },
  { description: 'How decisions are divided into groups.' },
)

const spec = t.object(
  {
    clusterSets: t.optional(
      t.array(t.string(), {
        description: 'The sets to choose from, of those bound to the namespace. Left out, all of them.',
      }),
    ),
    numberOfClusters: t.optional(
      t.integer({ description: 'How many clusters to choose at most. Left out, all that qualify.', format: 'int32' }),
    ),
    predicates: t.optional(
      t.array(predicate, { description: 'What qualifies a cluster. It is enough that one holds.' }),
    ),
    prioritizerPolicy: t.optional(prioritizerPolicy),
    spreadPolicy: t.optional(
      t.object(
        {
          spreadConstraints: t.optional(
            t.array(spreadConstraint, {
              description: 'How evenly to spread, the most important first.',
              maxItems: 8,
            }),
          ),
        },
        { description: 'How decisions are spread over groups of clusters.' },
      ),
    ),
    tolerations: t.optional(
      t.array(toleration, { description: 'Which taints do not keep a cluster from being chosen.' }),
    ),
    decisionStrategy: t.optional(
      t.object({ groupStrategy: t.optional(groupStrategy) }, { description: 'How decisions are handed out.' }),
    ),
    sortBy: t.defaulted(
      t.enum(['ClusterName', 'Score'], { description: 'What decisions are sorted by.' }),
      'ClusterName',
    ),
    scoreRateLimit: t.defaulted(
      t.string({
        description: 'How long a change of nothing but scores may wait before it changes decisions, such as `1m`.',
        pattern: '^[0-9]+[hms]$',
      }),
      '1m',
    ),
  },
  { description: 'Which clusters are wanted.' },
)

const decisionGroupStatus = t.object(
  {
    decisionGroupIndex: t.optional(t.integer({ description: 'The place of the group, from 0.', format: 'int32' })),
    decisionGroupName: t.optional(t.string({ description: 'The name of the group, if it has one.' })),
    decisions: t.optional(t.array(t.string(), { description: 'The PlacementDecisions of the group.' })),
    clusterCount: t.defaulted(t.integer({ description: 'How many clusters the group has.', format: 'int32' }), 0),
  },
  { description: 'One group of decisions.' },
)

const status = t.object(
  {
    numberOfSelectedClusters: t.optional(
      t.integer({ description: 'How many clusters have been chosen.', format: 'int32' }),
    ),
    decisionGroups: t.optional(t.array(decisionGroupStatus, { description: 'The groups of decisions, in order.' })),
    conditions: t.optional(t.conditions({ description: 'How the placement fares.' })),
    lastScoreUpdateTime: t.optional(t.time({ description: 'When scores last changed the decisions.' })),
  },
  { description: 'What came of the placement.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta1',
  kind: 'Placement',
  plural: 'placements',
  scope: 'Namespaced',
  description:
    'Chooses clusters from the sets that are bound to its namespace. The choice is kept up to date in ' +
    'PlacementDecisions.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
  columns: [
    conditionColumn('Succeeded', PlacementCondition.Satisfied),
    conditionColumn('Reason', PlacementCondition.Satisfied, 'reason'),
    { name: 'SelectedClusters', type: 'integer', jsonPath: '.status.numberOfSelectedClusters' },
  ],
})

export interface PlacementSpec extends Read<typeof spec> {}
export interface PlacementStatus extends Read<typeof status> {}
export interface ClusterPredicate extends Read<typeof predicate> {}
export interface SpreadConstraint extends Read<typeof spreadConstraint> {}
export interface Toleration extends Read<typeof toleration> {}
export interface DecisionGroup extends Read<typeof decisionGroup> {}
export interface GroupStrategy extends Read<typeof groupStrategy> {}
export interface DecisionGroupStatus extends Read<typeof decisionGroupStatus> {}

/** Chooses clusters from the sets that are bound to its namespace. */
export interface Placement extends ObjectOf<typeof definition> {}
export interface NewPlacement extends DraftOf<typeof definition> {}
export const Placement: DefinedKind<Placement, NewPlacement> = definition
