import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const spec = t.object(
  {
    value: t.optional(
      t.string({
        description: 'Value is the value of the claim. The name of the object is the name of the claim.',
        minLength: 1,
        maxLength: 1024,
      }),
    ),
  },
  { description: 'Spec holds the value of the claim.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1alpha1',
  kind: 'ClusterClaim',
  plural: 'clusterclaims',
  scope: 'Cluster',
  description:
    'ClusterClaim is a property of a managed cluster. It is created on that cluster, and the agent reports it ' +
    'in the status of the ManagedCluster on the hub.',
  fields: { spec: t.optional(spec) },
})

export interface ClusterClaimSpec extends Read<typeof spec> {}

/** A property of a managed cluster. */
export interface ClusterClaim extends ObjectOf<typeof definition> {}
export interface NewClusterClaim extends DraftOf<typeof definition> {}
export const ClusterClaim: DefinedKind<ClusterClaim, NewClusterClaim> = definition
