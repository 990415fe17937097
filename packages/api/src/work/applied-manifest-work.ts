import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { WORK_GROUP } from './names.js'
import { resourceIdentifierFields } from './resource-identifier.js'

const spec = t.object(
  {
    hubHash: t.string({ description: 'A hash of where the API server of the hub answers.' }),
    agentID: t.optional(t.string({ description: 'Which agent applied the work.' })),
    manifestWorkName: t.string({ description: 'The name of the work on the hub.' }),
  },
  { description: 'Which work it is.' },
)

const appliedResource = t.object(
  {
    ...resourceIdentifierFields,
    version: t.string({ description: 'The API version the object was applied in.' }),
    uid: t.optional(t.string({ description: 'The uid of the object.' })),
  },
  { description: 'An object that was applied.' },
)

const status = t.object(
  {
    appliedResources: t.optional(t.array(appliedResource, { description: 'The objects that were applied.' })),
    evictionStartTime: t.optional(
      t.time({ description: 'Since when the work is missing on the hub. After a while its objects are deleted.' }),
    ),
  },
  { description: 'What came of the work on this cluster.' },
)

const definition = defineKind({
  group: WORK_GROUP,
  version: 'v1',
  kind: 'AppliedManifestWork',
  plural: 'appliedmanifestworks',
  scope: 'Cluster',
  description: 'What a work has put on this cluster. It lives on the cluster, and owns the objects.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
})

export interface AppliedManifestWorkSpec extends Read<typeof spec> {}
export interface AppliedManifestWorkStatus extends Read<typeof status> {}
export interface AppliedResource extends Read<typeof appliedResource> {}

/** What a work has put on a cluster. */
export interface AppliedManifestWork extends ObjectOf<typeof definition> {}
export interface NewAppliedManifestWork extends DraftOf<typeof definition> {}
export const AppliedManifestWork: DefinedKind<AppliedManifestWork, NewAppliedManifestWork> = definition
