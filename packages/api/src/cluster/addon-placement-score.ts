import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const score = t.object(
  {
    name: t.string({ description: 'Name identifies the score. Placements refer to it as scoreName.' }),
    value: t.integer({
      description: 'Value is the score of the cluster, from -100 to 100.',
      format: 'int32',
      minimum: -100,
      maximum: 100,
    }),
  },
  { description: 'AddOnPlacementScoreItem is one score of the cluster.' },
)

const status = t.object(
  {
    conditions: t.optional(t.conditions({ description: 'Conditions describe the state of the scores.' })),
    scores: t.optional(
      t.array(score, {
        description: 'Scores lists the scores of the cluster, one for each name.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
    validUntil: t.optional(
      t.time({
        description:
          'ValidUntil is the time when the scores expire. Placements ignore expired scores. If unset, the scores do ' +
          'not expire.',
      }),
    ),
  },
  { description: 'Status holds the scores of the cluster, as the add-on reports them.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'AddOnPlacementScore',
  plural: 'addonplacementscores',
  scope: 'Namespaced',
  description:
    'AddOnPlacementScore holds scores that an add-on computes for the cluster of its namespace. Placements ' +
    'use them to prioritize clusters.',
  fields: { status: t.optional(status) },
  statusSubresource: true,
})

export interface AddOnPlacementScoreStatus extends Read<typeof status> {}
export interface AddOnPlacementScoreItem extends Read<typeof score> {}

/** Scores that an add-on computes for a cluster. Placements use them to prioritize clusters. */
export interface AddOnPlacementScore extends ObjectOf<typeof definition> {}
export interface NewAddOnPlacementScore extends DraftOf<typeof definition> {}
export const AddOnPlacementScore: DefinedKind<AddOnPlacementScore, NewAddOnPlacementScore> = definition
