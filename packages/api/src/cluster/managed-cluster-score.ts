import type { DraftOf, ObjectOf } from '@orrery/kube'
import { AGE_COLUMN, conditionFields, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const condition = t.object(
  {
    ...conditionFields,
    lastUpdateTime: t.time({ description: 'When the score was last computed, whether or not it changed.' }),
  },
  { description: 'How the computation of the score fares.' },
)

const status = t.object(
  {
    conditions: t.array(condition, {
      description: 'How the score fares.',
      listType: 'map',
      listMapKeys: ['type'],
    }),
    score: t.optional(t.integer({ description: 'The score of the cluster.', format: 'int64' })),
  },
  { description: 'The score.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ManagedClusterScore',
  plural: 'managedclusterscores',
  scope: 'Namespaced',
  description:
    'One score of the cluster in whose namespace the object is, named after the cluster and what computes it: ' +
    '`cluster1-resourceratiocpu`.',
  fields: { status: t.optional(status) },
  statusSubresource: true,
  columns: [{ name: 'Score', type: 'integer', jsonPath: '.status.score' }, AGE_COLUMN],
})

export interface ManagedClusterScoreStatus extends Read<typeof status> {}
export interface ManagedClusterScoreCondition extends Read<typeof condition> {}

/** One score of a cluster. */
export interface ManagedClusterScore extends ObjectOf<typeof definition> {}
export interface NewManagedClusterScore extends DraftOf<typeof definition> {}
export const ManagedClusterScore: DefinedKind<ManagedClusterScore, NewManagedClusterScore> = definition
