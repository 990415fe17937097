import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { rolloutStrategyField } from '../cluster/rollout.js'
import { conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { ReplicaSetCondition } from './conditions.js'
import { manifestWorkSpec } from './manifest-work.js'
import { WORK_GROUP } from './names.js'

const placementRef = t.object(
  {
    name: t.string({
      description: 'Name is the name of a Placement in the namespace of the ManifestWorkReplicaSet.',
      minLength: 1,
    }),
    rolloutStrategy: rolloutStrategyField,
  },
  { description: 'LocalPlacementReference refers to a Placement and configures the rollout to its clusters.' },
)

const spec = t.object(
  {
    manifestWorkTemplate: t.optional(
      t.described(manifestWorkSpec, 'ManifestWorkTemplate is the spec of the ManifestWorks to create.'),
    ),
    placementRefs: t.array(placementRef, {
      description: 'PlacementRefs lists the Placements whose clusters get the ManifestWork.',
      minItems: 1,
    }),
    cascadeDeletionPolicy: t.defaulted(
      t.enum(['Background', 'Foreground'], {
        description:
          'CascadeDeletionPolicy describes the deletion of the ManifestWorkReplicaSet. Background deletes it at ' +
          'once, and its ManifestWorks afterwards. Foreground deletes it after its ManifestWorks. Defaults to ' +
          'Background.',
      }),
      'Background',
      { required: true },
    ),
  },
  { description: 'Spec describes the ManifestWorks and the clusters they are created for.' },
)

const summary = t.object(
  {
    desiredTotal: t.optional(t.integer({ description: 'DesiredTotal is the desired number of ManifestWorks.' })),
    total: t.optional(t.integer({ description: 'Total is the number of ManifestWorks.' })),
    applied: t.optional(
      t.integer({ description: 'Applied is the number of ManifestWorks with the condition Applied.' }),
    ),
    available: t.optional(
      t.integer({ description: 'Available is the number of ManifestWorks with the condition Available.' }),
    ),
    progressing: t.optional(
      t.integer({ description: 'Progressing is the number of ManifestWorks with the condition Progressing.' }),
    ),
    degraded: t.optional(
      t.integer({ description: 'Degraded is the number of ManifestWorks with the condition Degraded.' }),
    ),
    updated: t.optional(t.integer({ description: 'Updated is the number of ManifestWorks with the latest template.' })),
  },
  { description: 'Summary counts ManifestWorks by state.' },
)

const placementSummary = t.object(
  {
    name: t.optional(t.string({ description: 'Name is the name of the Placement.' })),
    availableDecisionGroups: t.optional(
      t.string({
        description: 'AvailableDecisionGroups is the progress of the rollout, in decision groups and clusters.',
      }),
    ),
    summary: t.optional(summary),
  },
  { description: 'PlacementSummary counts the ManifestWorks of one Placement.' },
)

const status = t.object(
  {
    conditions: t.optional(t.conditions({ description: 'Conditions describe the state of the rollout.' })),
    summary: t.optional(summary),
    placementSummary: t.optional(
      t.array(placementSummary, { description: 'PlacementSummary counts ManifestWorks by state for each Placement.' }),
    ),
  },
  { description: 'Status is the state of the ManifestWorks.' },
)

const definition = defineKind({
  group: WORK_GROUP,
  version: 'v1alpha1',
  kind: 'ManifestWorkReplicaSet',
  plural: 'manifestworkreplicasets',
  scope: 'Namespaced',
  shortNames: ['mwrs'],
  description:
    'ManifestWorkReplicaSet creates a ManifestWork for each cluster that its Placements select, and rolls out ' +
    'changes to them.',
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

/**
 * ManifestWorkReplicaSet creates a ManifestWork for each cluster that its Placements select, and rolls out changes to
 * them.
 */
export interface ManifestWorkReplicaSet extends ObjectOf<typeof definition> {}
export interface NewManifestWorkReplicaSet extends DraftOf<typeof definition> {}
export const ManifestWorkReplicaSet: DefinedKind<ManifestWorkReplicaSet, NewManifestWorkReplicaSet> = definition
