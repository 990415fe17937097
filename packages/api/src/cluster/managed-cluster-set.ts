import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { ClusterSetCondition } from './conditions.js'
import { namespaceName } from './managed-namespace.js'
import { CLUSTER_GROUP } from './names.js'

const clusterSelector = t.object(
  {
    selectorType: t.defaulted(
      t.enum(['ExclusiveClusterSetLabel', 'LabelSelector'], {
        description:
          'SelectorType is the way to select the clusters of the set. ExclusiveClusterSetLabel selects clusters ' +
          'whose label cluster.open-cluster-management.io/clusterset has the name of this set, so that a cluster is ' +
          'in at most one such set. LabelSelector selects clusters by labelSelector. Defaults to ' +
          'ExclusiveClusterSetLabel.',
      }),
      'ExclusiveClusterSetLabel',
      { required: true },
    ),
    labelSelector: t.optional(
      t.labelSelector({
        description: 'LabelSelector selects clusters by their labels. It is used if selectorType is LabelSelector.',
      }),
    ),
  },
  {
    description: 'ClusterSelector selects the clusters of the set. Defaults to the clusters with the label of the set.',
  },
)

const managedNamespace = t.object(
  { name: namespaceName },
  { description: 'ManagedNamespace is a namespace that exists on each cluster of the set.' },
)

const spec = t.object(
  {
    clusterSelector: t.defaulted(clusterSelector, { selectorType: 'ExclusiveClusterSetLabel' }),
    managedNamespaces: t.optional(
      t.array(managedNamespace, {
        description: 'ManagedNamespaces lists namespaces that the agents create on each cluster of the set.',
        listType: 'map',
        listMapKeys: ['name'],
      }),
    ),
  },
  { description: 'Spec selects the clusters of the set.' },
)

const status = t.object(
  {
    conditions: t.optional(
      t.looseConditions({
        description: 'Conditions describe the state of the set. ClusterSetEmpty is True if the set has no clusters.',
      }),
    ),
  },
  { description: 'Status reports whether the set has clusters.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1beta2',
  kind: 'ManagedClusterSet',
  plural: 'managedclustersets',
  scope: 'Cluster',
  shortNames: ['mclset', 'mclsets'],
  description:
    'ManagedClusterSet is a group of ManagedClusters. Placements select clusters of the sets that are bound ' +
    'to their namespace.',
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

/** A group of ManagedClusters. */
export interface ManagedClusterSet extends ObjectOf<typeof definition> {}
export interface NewManagedClusterSet extends DraftOf<typeof definition> {}
export const ManagedClusterSet: DefinedKind<ManagedClusterSet, NewManagedClusterSet> = definition
