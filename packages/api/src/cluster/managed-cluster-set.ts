import type { DraftOf, ObjectOf } from '@orrery/kube'
import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { ClusterSetCondition } from './conditions.js'
import { namespaceName } from './managed-namespace.js'
import { CLUSTER_GROUP } from './names.js'

const clusterSelector = t.object(
  {
    selectorType: t.defaulted(
      t.enum(['ExclusiveClusterSetLabel', 'LabelSelector'], {
        description:
          'ExclusiveClusterSetLabel takes the clusters whose clusterset label names this set, so that a cluster is in ' +
          'one such set at most; LabelSelector takes those the selector matches, whatever other sets they are in.',
      }),
      'ExclusiveClusterSetLabel',
      { required: true },
    ),
    labelSelector: t.optional(t.labelSelector({ description: 'Which clusters LabelSelector takes.' })),
  },
  { description: 'Which clusters are in the set.' },
)

const managedNamespace = t.object({ name: namespaceName }, { description: 'A namespace on each cluster of the set.' })

const spec = t.object(
  {
    clusterSelector: t.defaulted(clusterSelector, { selectorType: 'ExclusiveClusterSetLabel' }),
    managedNamespaces: t.optional(
      t.array(managedNamespace, {
        description: 'Namespaces that every cluster of the set is to have.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
  },
  { description: 'What makes up the set.' },
)

const status = t.object(
  { conditions: t.optional(t.looseConditions({ description: 'How the set fares.' })) },
  { description: 'What is known of the set.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta2',
  kind: 'ManagedClusterSet',
  plural: 'managedclustersets',
  scope: 'Cluster',
  shortNames: ['mclset', 'mclsets'],
  description: 'Clusters that are administered together. A namespace may place workloads on a set that is bound to it.',
  fields: {
    spec: t.defaulted(spec, { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } }),
    status: t.optional(status),
  },
  statusSubresource: true,
  columns: [conditionColumn('Empty', ClusterSetCondition.Empty), AGE_COLUMN],
})

export interface ManagedClusterSetSpec extends Read<typeof spec> {}
export interface ManagedClusterSetStatus extends Read<typeof status> {}
export interface ManagedClusterSelector extends Read<typeof clusterSelector> {}
export interface ManagedNamespace extends Read<typeof managedNamespace> {}

/** Clusters that are administered together. */
export interface ManagedClusterSet extends ObjectOf<typeof definition> {}
export interface NewManagedClusterSet extends DraftOf<typeof definition> {}
export const ManagedClusterSet: DefinedKind<ManagedClusterSet, NewManagedClusterSet> = definition
