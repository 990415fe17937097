import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { WORK_GROUP } from './names.js'
import { resourceIdentifierFields } from './resource-identifier.js'

const spec = t.object(
  {
    hubHash: t.string({ description: "HubHash is a hash of the URL of the hub's API server." }),
    agentID: t.optional(t.string({ description: 'AgentID identifies the agent that applied the work.' })),
    manifestWorkName: t.string({ description: 'ManifestWorkName is the name of the ManifestWork on the hub.' }),
  },
  { description: 'Spec identifies the ManifestWork.' },
)

const appliedResource = t.object(
  {
    ...resourceIdentifierFields,
    version: t.string({ description: 'Version is the API version of the applied object.' }),
    uid: t.optional(t.string({ description: 'UID is the uid of the object.' })),
  },
  { description: 'An applied object.' },
)

const status = t.object(
  {
    appliedResources: t.optional(
      t.array(appliedResource, {
        description: 'AppliedResources lists the objects that the agent applied for the ManifestWork.',
      }),
    ),
    evictionStartTime: t.optional(
      t.time({
        description:
          'EvictionStartTime is when the ManifestWork was first missing on the hub. The agent deletes the objects ' +
          'after the eviction grace period. Unset if the ManifestWork exists.',
      }),
    ),
  },
  { description: 'Status lists the applied objects.' },
)

const definition = defineKind({
  group: WORK_GROUP,
  version: 'v1',
  kind: 'AppliedManifestWork',
  plural: 'appliedmanifestworks',
  scope: 'Cluster',
  description:
    'AppliedManifestWork lists the objects that a ManifestWork applied on this cluster. It exists on the ' +
    'managed cluster and owns the objects.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
})

export interface AppliedManifestWorkSpec extends Read<typeof spec> {}
export interface AppliedManifestWorkStatus extends Read<typeof status> {}
export interface AppliedResource extends Read<typeof appliedResource> {}

/** The objects that a ManifestWork applied on a managed cluster. */
export interface AppliedManifestWork extends ObjectOf<typeof definition> {}
export interface NewAppliedManifestWork extends DraftOf<typeof definition> {}
export const AppliedManifestWork: DefinedKind<AppliedManifestWork, NewAppliedManifestWork> = definition
