import type { DraftOf, ObjectOf } from '@orrery/kube'
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
            t.array(t.embedded(), { description: 'The objects that the cluster is to have, of whatever kinds.' }),
          ),
        },
        { description: 'What the cluster is to have.' },
      ),
    ),
    deleteOption: t.optional(deleteOption),
    manifestConfigs: t.optional(
      t.array(manifestConfig, { description: 'How objects are treated, where the usual will not do.' }),
    ),
    executor: t.optional(executor),
  },
  { description: 'What is wanted on the cluster.' },
)

const status = t.object(
  {
    conditions: t.optional(t.conditions({ description: 'How the work as a whole fares.' })),
    resourceStatus: t.optional(resourceStatus),
  },
  { description: 'What came of the work.' },
)

/** The schema of what a work wants, for kinds that make works. */
export const manifestWorkSpec = spec

const definition = defineKind({
  group: WORK_GROUP,
  version: 'v1',
  kind: 'ManifestWork',
  plural: 'manifestworks',
  scope: 'Namespaced',
  description:
    'Objects that the cluster in whose namespace the work is shall have. The agent of the cluster applies them, and ' +
    'says in the status how they fare.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
})

export interface ManifestWorkSpec extends Read<typeof spec> {}
export interface NewManifestWorkSpec extends New<typeof spec> {}
export interface ManifestWorkStatus extends Read<typeof status> {}

/** Objects that a cluster shall have. */
export interface ManifestWork extends ObjectOf<typeof definition> {}
export interface NewManifestWork extends DraftOf<typeof definition> {}
export const ManifestWork: DefinedKind<ManifestWork, NewManifestWork> = definition
