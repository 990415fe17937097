import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { conditionColumn, type DefinedKind, defineKind, QUALIFIED_NAME, type Read, t } from '../schema/index.js'
import { clusterSelector, groupClusterSelector } from './cluster-selector.js'
import { PlacementCondition } from './conditions.js'
import { CLUSTER_GROUP } from './names.js'
import { prioritizerPolicy } from './prioritizer.js'
import { taintEffect } from './taint.js'

const predicate = t.object(
  { requiredClusterSelector: t.optional(clusterSelector) },
  { description: 'ClusterPredicate describes clusters that match the placement.' },
)

const spreadConstraint = t.object(
  {
    topologyKey: t.string({
      description:
        'TopologyKey is the key of the label or claim. Clusters with the same value form a topology group. Clusters ' +
        'without the key are not selected with DoNotSchedule, and are selected last with ScheduleAnyway. Clusters ' +
        'that do not match the placement form no group.',
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$',
    }),
    topologyKeyType: t.enum(['Label', 'Claim'], {
      description: 'TopologyKeyType indicates whether topologyKey refers to a label or a claim.',
    }),
    maxSkew: t.defaulted(
      t.integer({
        description:
          'MaxSkew is the maximum difference between the numbers of selected clusters in any two groups. Defaults ' +
          'to 1.',
        format: 'int32',
        minimum: 1,
      }),
      1,
    ),
    whenUnsatisfiable: t.defaulted(
      t.enum(['DoNotSchedule', 'ScheduleAnyway'], {
        description:
          'WhenUnsatisfiable indicates what to do if the constraint cannot be met. DoNotSchedule selects fewer ' +
          'clusters. ScheduleAnyway selects clusters that exceed maxSkew. Defaults to ScheduleAnyway.',
      }),
      'ScheduleAnyway',
    ),
  },
  { description: 'SpreadConstraint describes how evenly selected clusters are spread over topology groups.' },
)

const toleration = t.object(
  {
    key: t.optional(
      t.string({
        description:
          'Key is the key of the tolerated taints. An empty key with the operator Exists tolerates all taints.',
        maxLength: 316,
        pattern: QUALIFIED_NAME,
      }),
    ),
    operator: t.defaulted(
      t.string({
        description:
          'Operator is Equal or Exists. Equal compares key and value. Exists compares the key only. Defaults to ' +
          'Equal.',
      }),
      'Equal',
    ),
    value: t.optional(
      t.string({
        description: 'Value is the value of the tolerated taints. It is used with the operator Equal.',
        maxLength: 1024,
      }),
    ),
    effect: t.optional(
      t.described(taintEffect, 'Effect is the effect of the tolerated taints. If unset, all effects match.'),
    ),
    tolerationSeconds: t.optional(
      t.integer({
        description:
          'TolerationSeconds is how long the taint is tolerated, from its timeAdded. If unset, the taint is ' +
          'tolerated without limit.',
        format: 'int64',
      }),
    ),
  },
  { description: 'Toleration tolerates taints of clusters.' },
)

const decisionGroup = t.object(
  {
    groupName: t.string({
      description:
        'GroupName is the name of the decision group. The PlacementDecisions of the group have it as a label.',
      pattern: '^[a-zA-Z0-9][-A-Za-z0-9_.]{0,61}[a-zA-Z0-9]$',
    }),
    groupClusterSelector,
  },
  { description: 'DecisionGroup is a group of selected clusters.' },
)

const groupStrategy = t.object(
  {
    decisionGroups: t.optional(
      t.array(decisionGroup, {
        description:
          'DecisionGroups lists named groups in order. A cluster belongs to the first group that selects it. Other ' +
          'clusters form further groups of the size clustersPerDecisionGroup.',
      }),
    ),
    clustersPerDecisionGroup: t.defaulted(
      t.intOrString({
        description:
          'ClustersPerDecisionGroup is the maximum number of clusters in a group, as a number or a percentage of ' +
          'the selected clusters. Defaults to 100%.',
        pattern: '^((100|[1-9][0-9]{0,1})%|[1-9][0-9]*)$',
      }),
      '100%',
    ),
  },
  { description: 'GroupStrategy describes how selected clusters are divided into groups.' },
)

const spec = t.object(
  {
    clusterSets: t.optional(
      t.array(t.string(), {
        description:
          'ClusterSets lists the ManagedClusterSets to select from. Sets that are not bound to the namespace are ' +
          'ignored. If empty, all sets that are bound to the namespace are used.',
      }),
    ),
    numberOfClusters: t.optional(
      t.integer({
        description:
          'NumberOfClusters is the maximum number of clusters to select. If unset, all matching clusters are ' +
          'selected.',
        format: 'int32',
      }),
    ),
    predicates: t.optional(
      t.array(predicate, {
        description:
          'Predicates lists predicates for clusters. A cluster must match at least one. If empty, all clusters ' +
          'match.',
      }),
    ),
    prioritizerPolicy: t.optional(prioritizerPolicy),
    spreadPolicy: t.optional(
      t.object(
        {
          spreadConstraints: t.optional(
            t.array(spreadConstraint, {
              description: 'SpreadConstraints lists constraints in order of importance.',
              maxItems: 8,
            }),
          ),
        },
        { description: 'SpreadPolicy describes how selected clusters are spread over topology groups.' },
      ),
    ),
    tolerations: t.optional(
      t.array(toleration, {
        description:
          'Tolerations lists tolerations of cluster taints. Clusters with taints that are not tolerated are not ' +
          'selected.',
      }),
    ),
    decisionStrategy: t.optional(
      t.object(
        { groupStrategy: t.optional(groupStrategy) },
        { description: 'DecisionStrategy describes how selected clusters are divided into decision groups.' },
      ),
    ),
    sortBy: t.defaulted(
      t.enum(['ClusterName', 'Score'], {
        description:
          'SortBy is the order of the selected clusters in PlacementDecisions: ClusterName or Score. Defaults to ' +
          'ClusterName.',
      }),
      'ClusterName',
    ),
    scoreRateLimit: t.defaulted(
      t.string({
        description:
          'ScoreRateLimit is the minimum interval between updates of decisions because of changed scores, for ' +
          'example `1m`. Defaults to 1m.',
        pattern: '^[0-9]+[hms]$',
      }),
      '1m',
    ),
  },
  { description: 'Spec describes the clusters to select.' },
)

const decisionGroupStatus = t.object(
  {
    decisionGroupIndex: t.optional(
      t.integer({ description: 'DecisionGroupIndex is the index of the group, from 0.', format: 'int32' }),
    ),
    decisionGroupName: t.optional(
      t.string({ description: 'DecisionGroupName is the name of the group. Empty if the group has no name.' }),
    ),
    decisions: t.optional(
      t.array(t.string(), { description: 'Decisions lists the names of the PlacementDecisions of the group.' }),
    ),
    clusterCount: t.defaulted(
      t.integer({ description: 'ClusterCount is the number of clusters in the group.', format: 'int32' }),
      0,
    ),
  },
  { description: 'DecisionGroupStatus describes one decision group.' },
)

const status = t.object(
  {
    numberOfSelectedClusters: t.optional(
      t.integer({ description: 'NumberOfSelectedClusters is the number of selected clusters.', format: 'int32' }),
    ),
    decisionGroups: t.optional(
      t.array(decisionGroupStatus, { description: 'DecisionGroups lists the decision groups in order.' }),
    ),
    conditions: t.optional(
      t.conditions({
        description:
          'Conditions describe the state of the placement. PlacementSatisfied is True if the requested number of ' +
          'clusters is selected.',
      }),
    ),
    lastScoreUpdateTime: t.optional(
      t.time({ description: 'LastScoreUpdateTime is the time when changed scores last updated the decisions.' }),
    ),
  },
  { description: 'Status reports the result of the selection.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta1',
  kind: 'Placement',
  plural: 'placements',
  scope: 'Namespaced',
  description:
    'Placement selects clusters of the ManagedClusterSets that are bound to its namespace. The result is ' +
    'written to PlacementDecisions and updated when clusters change.',
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

/** Selects clusters of the cluster sets that are bound to its namespace. */
export interface Placement extends ObjectOf<typeof definition> {}
export interface NewPlacement extends DraftOf<typeof definition> {}
export const Placement: DefinedKind<Placement, NewPlacement> = definition
