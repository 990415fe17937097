import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const decision = t.object(
  {
    clusterName: t.string({ description: 'ClusterName is the name of the selected ManagedCluster.' }),
    reason: t.string({ description: 'Reason is the reason for the selection. It can be empty.' }),
    score: t.optional(t.integer({ description: 'Score is the total score of the cluster.', format: 'int64' })),
  },
  { description: 'ClusterDecision is a selected cluster.' },
)

const status = t.object(
  {
    decisions: t.array(decision, { description: 'Decisions lists the selected clusters, at most 100 in one object.' }),
  },
  { description: 'Status lists selected clusters.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta1',
  kind: 'PlacementDecision',
  plural: 'placementdecisions',
  scope: 'Namespaced',
  description:
    'PlacementDecision lists clusters that a Placement has selected. The label ' +
    'cluster.open-cluster-management.io/placement names the Placement. A Placement can have several ' +
    'PlacementDecisions.',
  fields: { status: t.optional(status) },
  statusSubresource: true,
})

export interface PlacementDecisionStatus extends Read<typeof status> {}
export interface ClusterDecision extends Read<typeof decision> {}

/** Clusters that a Placement has selected. */
export interface PlacementDecision extends ObjectOf<typeof definition> {}
export interface NewPlacementDecision extends DraftOf<typeof definition> {}
export const PlacementDecision: DefinedKind<PlacementDecision, NewPlacementDecision> = definition
