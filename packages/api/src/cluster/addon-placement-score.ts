import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const score = t.object(
  {
    name: t.string({ description: 'The name placements know the score by.' }),
    value: t.integer({ description: 'How good the cluster is.', format: 'int32', minimum: -100, maximum: 100 }),
  },
  { description: 'One score of the cluster.' },
)

const status = t.object(
  {
    conditions: t.optional(t.conditions({ description: 'How the scores fare.' })),
    scores: t.optional(
      t.array(score, { description: 'The scores of the cluster.', listType: 'map', listMapKeys: ['name'] }),
    ),
    validUntil: t.optional(t.time({ description: 'Until when the scores count. Left out, for ever.' })),
  },
  { description: 'The scores.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'AddOnPlacementScore',
  plural: 'addonplacementscores',
  scope: 'Namespaced',
  description: 'Scores that an add-on gives the cluster in whose namespace the object is, for placements to go by.',
  fields: { status: t.optional(status) },
  statusSubresource: true,
})

export interface AddOnPlacementScoreStatus extends Read<typeof status> {}
export interface AddOnPlacementScoreItem extends Read<typeof score> {}

/** Scores that an add-on gives a cluster, for placements to go by. */
export interface AddOnPlacementScore extends ObjectOf<typeof definition> {}
export interface NewAddOnPlacementScore extends DraftOf<typeof definition> {}
export const AddOnPlacementScore: DefinedKind<AddOnPlacementScore, NewAddOnPlacementScore> = definition
