import type { DraftOf, ObjectOf } from '@orrery/kube'
import { type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { CLUSTER_GROUP } from './names.js'

const spec = t.object(
  {
    clusterSet: t.optional(
      t.string({ description: 'The name of the set, which must be the name of this object too.', minLength: 1 }),
    ),
  },
  { description: 'Which set is bound.' },
)

const status = t.object(
  { conditions: t.optional(t.looseConditions({ description: 'How the binding fares.' })) },
  { description: 'What is known of the binding.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta2',
  kind: 'ManagedClusterSetBinding',
  plural: 'managedclustersetbindings',
  scope: 'Namespaced',
  shortNames: ['mclsetbinding', 'mclsetbindings'],
  description: 'Lets the placements of a namespace choose from the clusters of a set.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
})

export interface ManagedClusterSetBindingSpec extends Read<typeof spec> {}
export interface ManagedClusterSetBindingStatus extends Read<typeof status> {}

/** Lets the placements of a namespace choose from the clusters of a set. */
export interface ManagedClusterSetBinding extends ObjectOf<typeof definition> {}
export interface NewManagedClusterSetBinding extends DraftOf<typeof definition> {}
export const ManagedClusterSetBinding: DefinedKind<ManagedClusterSetBinding, NewManagedClusterSetBinding> = definition
