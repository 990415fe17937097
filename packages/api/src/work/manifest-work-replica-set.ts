import type { DraftOf, ObjectOf } from '@orrery/kube'
import { rolloutStrategyField } from '../cluster/rollout.js'
import { conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { ReplicaSetCondition } from './conditions.js'
import { manifestWorkSpec } from './manifest-work.js'
import { WORK_GROUP } from './names.js'

const placementRef = t.object(
  {
    name: t.string({ description: 'The name of a Placement in the namespace.', minLength: 1 }),
    rolloutStrategy: rolloutStrategyField,
  },
  { description: 'A choice of clusters, and how changes get to them.' },
)

const spec = t.object(
  {
    manifestWorkTemplate: t.optional(t.described(manifestWorkSpec, 'What the works are made from.')),
    placementRefs: t.array(placementRef, { description: 'The choices of clusters that get a work.', minItems: 1 }),
    cascadeDeletionPolicy: t.defaulted(
      t.enum(['Background', 'Foreground'], {
        description: 'Whether the replica set goes at once when it is deleted, or after its works.',
      }),
      'Background',
      { required: true },
    ),
  },
  { description: 'Which works are wanted where.' },
)

const summary = t.object(
  {
    desiredTotal: t.optional(t.integer({ description: 'How many there are to be.' })),
    total: t.optional(t.integer({ description: 'How many there are.' })),
    applied: t.optional(t.integer({ description: 'How many have been applied.' })),
    available: t.optional(t.integer({ description: 'How many have all their objects.' })),
    progressing: t.optional(t.integer({ description: 'How many are under way.' })),
    degraded: t.optional(t.integer({ description: 'How many are not well.' })),
    updated: t.optional(t.integer({ description: 'How many are made from the latest template.' })),
  },
  { description: 'How many works are in which state.' },
)

const placementSummary = t.object(
  {
    name: t.optional(t.string({ description: 'The name of the Placement.' })),
    availableDecisionGroups: t.optional(
      t.string({ description: 'How far the rollout is, in groups of decisions and in clusters.' }),
    ),
    summary: t.optional(summary),
  },
  { description: 'How the works for one choice of clusters fare.' },
)

const status = t.object(
  {
    conditions: t.optional(t.conditions({ description: 'How the replica set fares.' })),
    summary: t.optional(summary),
    placementSummary: t.optional(
      t.array(placementSummary, { description: 'How the works fare, for each choice of clusters.' }),
    ),
  },
  { description: 'What came of the works.' },
)

const definition = defineKind({
  group: WORK_GROUP,
  version: 'v1alpha1',
  kind: 'ManifestWorkReplicaSet',
  plural: 'manifestworkreplicasets',
  scope: 'Namespaced',
  shortNames: ['mwrs'],
  description: 'The same work for every cluster that placements choose.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
  columns: [
    conditionColumn('Placement', ReplicaSetCondition.PlacementVerified, 'reason'),
    conditionColumn('Found', ReplicaSetCondition.PlacementVerified),
    conditionColumn('ManifestWorks', ReplicaSetCondition.ManifestworkApplied, 'reason'),
    conditionColumn('Applied', ReplicaSetCondition.ManifestworkApplied),
  ],
})

export interface ManifestWorkReplicaSetSpec extends Read<typeof spec> {}
export interface ManifestWorkReplicaSetStatus extends Read<typeof status> {}
export interface LocalPlacementReference extends Read<typeof placementRef> {}
export interface ManifestWorkReplicaSetSummary extends Read<typeof summary> {}
export interface PlacementSummary extends Read<typeof placementSummary> {}

/** The same work for every cluster that placements choose. */
export interface ManifestWorkReplicaSet extends ObjectOf<typeof definition> {}
export interface NewManifestWorkReplicaSet extends DraftOf<typeof definition> {}
export const ManifestWorkReplicaSet: DefinedKind<ManifestWorkReplicaSet, NewManifestWorkReplicaSet> = definition
