import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type New, type Read, t } from '../schema/index.js'
import { deleteOption } from './delete-option.js'
import { executor } from './executor.js'
import { manifestConfig } from './manifest-config.js'
import { resourceStatus } from './manifest-status.js'
import { WORK_GROUP } from './names.js'

const spec = t.object(
  {
    workload: t.optional(
      t.object(
        {
          manifests: t.optional(
            t.array(t.embedded(), { description: 'Manifests lists the objects to apply on the cluster.' }),
          ),
        },
        { description: 'Workload holds the objects to apply on the cluster.' },
      ),
    ),
    deleteOption: t.optional(deleteOption),
    manifestConfigs: t.optional(
      t.array(manifestConfig, {
        description:
          'ManifestConfigs configures how objects are applied and reported: update strategies, feedback rules and ' +
          'condition rules.',
      }),
    ),
    executor: t.optional(executor),
  },
  { description: 'Spec describes the objects to apply on the cluster.' },
)

const status = t.object(
  {
    conditions: t.optional(
      t.conditions({
        description: 'Conditions describe the state of the ManifestWork: applied, available, progressing, degraded.',
      }),
    ),
    resourceStatus: t.optional(resourceStatus),
  },
  { description: 'Status is the state of the objects on the cluster.' },
)

/** The schema of the spec of a work, for kinds that create works. */
export const manifestWorkSpec = spec

const definition = defineKind({
  group: WORK_GROUP,
  version: 'v1',
  kind: 'ManifestWork',
  plural: 'manifestworks',
  scope: 'Namespaced',
  description:
    'ManifestWork holds objects to apply on the managed cluster of its namespace. The agent of the cluster ' +
    'applies them, restores them when they change, and reports their state in the status.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
})

export interface ManifestWorkSpec extends Read<typeof spec> {}
export interface NewManifestWorkSpec extends New<typeof spec> {}
export interface ManifestWorkStatus extends Read<typeof status> {}

/** Objects to apply on a managed cluster. */
export interface ManifestWork extends ObjectOf<typeof definition> {}
export interface NewManifestWork extends DraftOf<typeof definition> {}
export const ManifestWork: DefinedKind<ManifestWork, NewManifestWork> = definition
