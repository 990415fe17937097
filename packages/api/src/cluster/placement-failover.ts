import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'

/** The API group of kinds for placement that Open Cluster Management does not have. */
export const FAILOVER_GROUP = 'cluster.orrery.dev'

/** Conditions of a PlacementFailover. */
export const FailoverCondition = {
  /** The placement and its scores are evaluated. */
  Ready: 'Ready',
  /** A cluster should leave or return, and a limit delays it. */
  Limited: 'Limited',
} as const
export type FailoverCondition = (typeof FailoverCondition)[keyof typeof FailoverCondition]

/** Reasons of the conditions of a PlacementFailover. */
export const FailoverReason = {
  /** Ready: the placement is evaluated. */
  Evaluated: 'Evaluated',
  /** Ready: there is no such placement. */
  PlacementNotFound: 'PlacementNotFound',
  /** Ready: the spec of the placement is not valid. */
  PlacementMisconfigured: 'PlacementMisconfigured',
  /** Ready: an older PlacementFailover refers to the same placement. */
  PlacementTaken: 'PlacementTaken',
  /** Ready: no candidate of the placement has a valid score. */
  NoScores: 'NoScores',
  /** Limited: no limit delays a cluster. */
  WithinLimits: 'WithinLimits',
  /** Limited: maxMoves is reached. */
  MaxMovesReached: 'MaxMovesReached',
  /** Limited: fewer than minClusters healthy clusters would remain. */
  MinClustersReached: 'MinClustersReached',
} as const
export type FailoverReason = (typeof FailoverReason)[keyof typeof FailoverReason]

/** Reasons of events of a PlacementFailover. */
export const FailoverEvent = { ClusterLeft: 'ClusterLeft', ClusterReturned: 'ClusterReturned' } as const

const DURATION = '^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$'

const duration = (description: string) => t.string({ description, pattern: DURATION, minLength: 2, maxLength: 21 })

const moveKind = (description: string) => t.enum(['Leave', 'Return'], { description })

const score = t.object(
  {
    calculator: t.optional(
      t.string({
        description:
          'Calculator is the name of a calculator, for example ClusterHealth. The score of a cluster is in the ' +
          'ManagedClusterScore of the calculator.',
        minLength: 1,
        maxLength: 63,
      }),
    ),
    addOn: t.optional(
      t.object(
        {
          resourceName: t.string({ description: 'ResourceName is the name of the AddOnPlacementScore.', minLength: 1 }),
          scoreName: t.string({
            description: 'ScoreName is the name of the score in the AddOnPlacementScore.',
            minLength: 1,
          }),
        },
        { description: 'AddOn refers to a score in an AddOnPlacementScore.' },
      ),
    ),
  },
  {
    description: 'Score is the health score. Defaults to the calculator ClusterHealth.',
    rules: [{ rule: '!(has(self.calculator) && has(self.addOn))', message: 'set calculator or addOn, not both' }],
  },
)

const spec = t.object(
  {
    placementRef: t.object(
      { name: t.string({ description: 'Name is the name of the Placement.', minLength: 1 }) },
      { description: 'PlacementRef refers to a Placement in the same namespace.' },
    ),
    score: t.optional(score),
    leaveBelow: t.defaulted(
      t.integer({
        description: 'LeaveBelow is the score below which a cluster is failing. Defaults to 50.',
        format: 'int64',
      }),
      50,
    ),
    leaveAfter: t.defaulted(
      duration('LeaveAfter is how long a cluster must be failing before it is excluded. Defaults to 1m.'),
      '1m',
    ),
    returnAbove: t.defaulted(
      t.integer({
        description:
          'ReturnAbove is the score above which an excluded cluster has recovered. It must not be less than ' +
          'leaveBelow. Defaults to 80.',
        format: 'int64',
      }),
      80,
    ),
    returnAfter: t.defaulted(
      duration('ReturnAfter is how long an excluded cluster must have recovered before it returns. Defaults to 5m.'),
      '5m',
    ),
    minClusters: t.defaulted(
      t.integer({
        description:
          'MinClusters is the number of clusters that match the placement, are not excluded and are not failing, ' +
          'which must remain when a cluster is excluded. Defaults to 1.',
        format: 'int32',
        minimum: 1,
      }),
      1,
    ),
    maxMoves: t.defaulted(
      t.integer({
        description:
          'MaxMoves is how many clusters may leave or return within moveInterval. Clusters that the placement has ' +
          'not selected leave without a move. Defaults to 1.',
        format: 'int32',
        minimum: 1,
        maximum: 1000,
      }),
      1,
    ),
    moveInterval: t.defaulted(duration('MoveInterval is the interval of maxMoves. Defaults to 5m.'), '5m'),
    missingScore: t.defaulted(
      t.enum(['Ignore', 'Failing'], {
        description:
          'MissingScore is how a cluster without a valid score counts. Ignore keeps the cluster as it is. Failing ' +
          'counts it as failing. Defaults to Ignore.',
      }),
      'Ignore',
    ),
  },
  {
    description: 'Spec describes when clusters leave the decisions of a placement, and when they return.',
    rules: [{ rule: 'self.returnAbove >= self.leaveBelow', message: 'returnAbove must not be less than leaveBelow' }],
  },
)

const excluded = t.object(
  {
    clusterName: t.string({ description: 'ClusterName is the name of the ManagedCluster.' }),
    since: t.time({ description: 'Since is when the cluster was excluded.' }),
    reason: t.string({ description: 'Reason is why the cluster was excluded, in one sentence.' }),
  },
  { description: 'ExcludedCluster is a cluster that the placement does not select.' },
)

const pending = t.object(
  {
    clusterName: t.string({ description: 'ClusterName is the name of the ManagedCluster.' }),
    move: moveKind('Move is Leave for a failing cluster, or Return for an excluded cluster that has recovered.'),
    since: t.time({ description: 'Since is when the score crossed the threshold.' }),
  },
  { description: 'PendingMove is a move that waits for leaveAfter, returnAfter or a limit.' },
)

const recentMove = t.object(
  {
    clusterName: t.string({ description: 'ClusterName is the name of the ManagedCluster.' }),
    move: moveKind('Move is Leave or Return.'),
    time: t.time({ description: 'Time is when the cluster left or returned.' }),
  },
  { description: 'RecentMove is a move within the last moveInterval.' },
)

const status = t.object(
  {
    observedGeneration: t.optional(
      t.integer({
        description: 'ObservedGeneration is the metadata.generation that the status was computed for.',
        format: 'int64',
      }),
    ),
    numberOfExcludedClusters: t.optional(
      t.integer({ description: 'NumberOfExcludedClusters is the number of excluded clusters.', format: 'int32' }),
    ),
    excluded: t.optional(
      t.array(excluded, {
        description: 'Excluded lists the clusters that the placement does not select.',
        listType: 'map',
        listMapKeys: ['clusterName'],
      }),
    ),
    pending: t.optional(
      t.array(pending, {
        description: 'Pending lists the clusters that will leave or return.',
        listType: 'map',
        listMapKeys: ['clusterName'],
      }),
    ),
    recentMoves: t.optional(
      t.array(recentMove, { description: 'RecentMoves lists the moves that count toward maxMoves.' }),
    ),
    conditions: t.optional(
      t.conditions({
        description:
          'Conditions describe the state of the failover. Ready is True if the placement and its scores are evaluated. ' +
          'Limited is True if maxMoves or minClusters delays a move.',
      }),
    ),
  },
  { description: 'Status lists the clusters that are excluded from the placement.' },
)

const definition = defineKind({
  group: FAILOVER_GROUP,
  version: 'v1alpha1',
  kind: 'PlacementFailover',
  plural: 'placementfailovers',
  scope: 'Namespaced',
  description:
    'PlacementFailover moves the decisions of a Placement off clusters with a low health score, and back when they ' +
    'have recovered. The hub excludes a failing cluster from the Placement; the Placement then selects other clusters.',
  fields: { spec, status: t.optional(status) },
  statusSubresource: true,
  columns: [
    { name: 'Placement', type: 'string', jsonPath: '.spec.placementRef.name' },
    { name: 'Excluded', type: 'integer', jsonPath: '.status.numberOfExcludedClusters' },
    conditionColumn('Ready', FailoverCondition.Ready),
    conditionColumn('Limited', FailoverCondition.Limited),
    AGE_COLUMN,
  ],
})

export interface PlacementFailoverSpec extends Read<typeof spec> {}
export interface PlacementFailoverStatus extends Read<typeof status> {}
export interface FailoverScore extends Read<typeof score> {}
export interface ExcludedCluster extends Read<typeof excluded> {}
export interface PendingMove extends Read<typeof pending> {}
export interface RecentMove extends Read<typeof recentMove> {}

/** Moves the decisions of a Placement off clusters with a low health score. */
export interface PlacementFailover extends ObjectOf<typeof definition> {}
export interface NewPlacementFailover extends DraftOf<typeof definition> {}
export const PlacementFailover: DefinedKind<PlacementFailover, NewPlacementFailover> = definition
