import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { AGE_COLUMN, conditionFields, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const condition = t.object(
  {
    ...conditionFields,
    lastUpdateTime: t.time({
      description: 'LastUpdateTime is the time of the last computation of the score, whether or not it changed.',
    }),
  },
  { description: 'A condition of the score, with the time of its last computation.' },
)

const status = t.object(
  {
    conditions: t.array(condition, {
      description: 'Conditions describe the state of the score.',
      listType: 'map',
      listMapKeys: ['type'],
    }),
    score: t.optional(t.integer({ description: 'Score is the score of the cluster.', format: 'int64' })),
  },
  { description: 'Status holds the score of the cluster.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ManagedClusterScore',
  plural: 'managedclusterscores',
  scope: 'Namespaced',
  description:
    'ManagedClusterScore holds one score of the cluster of its namespace. Its name consists of the names of ' +
    'the cluster and of the calculator in lower case, for example `cluster1-resourceratiocpu`. Placements ignore a ' +
    'score five minutes after its lastUpdateTime, unless the annotation cluster.orrery.dev/score-validity-seconds sets ' +
    'another validity.',
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
