import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const decision = t.object(
  {
    clusterName: t.string({ description: 'The cluster that was chosen. Its name is unique on the hub.' }),
    reason: t.string({ description: 'Why it was chosen. May be empty.' }),
    score: t.optional(t.integer({ description: 'The score it was chosen by.', format: 'int64' })),
  },
  { description: 'A cluster that was chosen.' },
)

const status = t.object(
  { decisions: t.array(decision, { description: 'The clusters that were chosen, a hundred at most.' }) },
  { description: 'What was decided.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta1',
  kind: 'PlacementDecision',
  plural: 'placementdecisions',
  scope: 'Namespaced',
  description: 'Some of the clusters a Placement has chosen. A label says which Placement it is.',
  fields: { status: t.optional(status) },
  statusSubresource: true,
})

export interface PlacementDecisionStatus extends Read<typeof status> {}
export interface ClusterDecision extends Read<typeof decision> {}

/** Some of the clusters a Placement has chosen. */
export interface PlacementDecision extends ObjectOf<typeof definition> {}
export interface NewPlacementDecision extends DraftOf<typeof definition> {}
export const PlacementDecision: DefinedKind<PlacementDecision, NewPlacementDecision> = definition
