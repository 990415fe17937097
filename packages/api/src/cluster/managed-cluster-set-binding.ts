import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const spec = t.object(
  {
    clusterSet: t.optional(
      t.string({
        description: 'ClusterSet is the name of the ManagedClusterSet to bind. It must equal the name of this object.',
        minLength: 1,
      }),
    ),
  },
  { description: 'Spec names the ManagedClusterSet to bind.' },
)

const status = t.object(
  {
    conditions: t.optional(
      t.looseConditions({
        description: 'Conditions describe the state of the binding. Bound is True if the ManagedClusterSet exists.',
      }),
    ),
  },
  { description: 'Status reports whether the ManagedClusterSet is bound.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta2',
  kind: 'ManagedClusterSetBinding',
  plural: 'managedclustersetbindings',
  scope: 'Namespaced',
  shortNames: ['mclsetbinding', 'mclsetbindings'],
  description:
    'ManagedClusterSetBinding binds a ManagedClusterSet to a namespace. Placements in the namespace can then ' +
    'select clusters of the set.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
})

export interface ManagedClusterSetBindingSpec extends Read<typeof spec> {}
export interface ManagedClusterSetBindingStatus extends Read<typeof status> {}

/**
 * ManagedClusterSetBinding binds a ManagedClusterSet to a namespace. Placements in the namespace can then select
 * clusters of the set.
 */
export interface ManagedClusterSetBinding extends ObjectOf<typeof definition> {}
export interface NewManagedClusterSetBinding extends DraftOf<typeof definition> {}
export const ManagedClusterSetBinding: DefinedKind<ManagedClusterSetBinding, NewManagedClusterSetBinding> = definition
