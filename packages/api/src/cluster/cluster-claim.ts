import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const spec = t.object(
  {
    value: t.optional(
      t.string({ description: 'What the cluster claims under the name of the object.', minLength: 1, maxLength: 1024 }),
    ),
  },
  { description: 'What is claimed.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  scope: 'Cluster',
  description: 'Something a managed cluster says of itself. It lives on that cluster; its agent reports it to the hub.',
  fields: { spec: t.optional(spec) },
})

export interface ClusterClaimSpec extends Read<typeof spec> {}

/** Something a managed cluster says of itself. */
export interface ClusterClaim extends ObjectOf<typeof definition> {}
export interface NewClusterClaim extends DraftOf<typeof definition> {}
export const ClusterClaim: DefinedKind<ClusterClaim, NewClusterClaim> = definition
