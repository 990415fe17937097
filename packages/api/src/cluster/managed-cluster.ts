import type { DraftOf, ObjectOf } from '@orrery/kube'
import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { ManagedClusterCondition } from './conditions.js'
import { namespaceName } from './managed-namespace.js'
import { CLUSTER_GROUP } from './names.js'
import { taint } from './taint.js'

const DEFAULT_LEASE_SECONDS = 60

const clientConfig = t.object(
  {
    url: t.string({ description: 'Where the API server of the cluster answers.' }),
    caBundle: t.optional(t.bytes({ description: 'The certificates that the API server is trusted by.' })),
  },
  { description: 'A way to the API server of the cluster.' },
)

const spec = t.object(
  {
    hubAcceptsClient: t.optional(
      t.boolean({
        description:
          'Whether the hub lets the cluster in. When true, the agent of the cluster gets a namespace on the hub and ' +
          'the rights it needs there; when false, it loses them.',
      }),
    ),
    leaseDurationSeconds: t.defaulted(
      t.integer({
        description:
          'How often the agent is to show that it lives. After five times as long without a sign the cluster counts ' +
          'as unreachable.',
        format: 'int32',
      }),
      DEFAULT_LEASE_SECONDS,
    ),
    managedClusterClientConfigs: t.optional(
      t.array(clientConfig, { description: 'Ways to the API server of the cluster.' }),
    ),
    taints: t.optional(t.array(taint, { description: 'Reasons not to choose the cluster in placements.' })),
  },
  { description: 'What the hub wants of the cluster.' },
)

const claim = t.object(
  {
    name: t.optional(t.string({ description: 'The name of the claim.', minLength: 1, maxLength: 253 })),
    value: t.optional(t.string({ description: 'What is claimed.', minLength: 1, maxLength: 1024 })),
  },
  { description: 'Something the cluster says of itself.' },
)

const managedNamespace = t.object(
  {
    name: namespaceName,
    clusterSet: t.string({ description: 'The set that wants the namespace.' }),
    conditions: t.optional(t.conditions({ description: 'How the namespace fares on the cluster.' })),
  },
  { description: 'A namespace that a set of clusters wants on each of them.' },
)

const status = t.object(
  {
    conditions: t.optional(t.conditions({ description: 'How the cluster fares.' })),
    capacity: t.optional(t.map(t.quantity(), { description: 'The resources of all nodes together.' })),
    allocatable: t.optional(
      t.map(t.quantity(), { description: 'The resources that all nodes together have for workloads.' }),
    ),
    version: t.optional(
      t.object(
        { kubernetes: t.optional(t.string({ description: 'The version of Kubernetes.' })) },
        { description: 'What the cluster runs.' },
      ),
    ),
    clusterClaims: t.optional(t.array(claim, { description: 'What the cluster says of itself.' })),
    managedNamespaces: t.optional(
      t.array(managedNamespace, {
        description: 'The namespaces that the sets of the cluster want on it.',
        listType: 'map',
        listMapKeys: ['clusterSet', 'name'],
      }),
    ),
  },
  { description: 'What is known of the cluster.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1',
  kind: 'ManagedCluster',
  plural: 'managedclusters',
  scope: 'Cluster',
  shortNames: ['mcl', 'mcls'],
  description:
    'A cluster that is, or wants to be, managed from this hub. Its agent creates the object and reports into its ' +
    'status; an administrator of the hub lets the cluster in.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
  columns: [
    { name: 'Hub Accepted', type: 'boolean', jsonPath: '.spec.hubAcceptsClient' },
    { name: 'Managed Cluster URLs', type: 'string', jsonPath: '.spec.managedClusterClientConfigs[*].url' },
    conditionColumn('Joined', ManagedClusterCondition.Joined),
    conditionColumn('Available', ManagedClusterCondition.Available),
    AGE_COLUMN,
  ],
})

export interface ManagedClusterSpec extends Read<typeof spec> {}
export interface ManagedClusterStatus extends Read<typeof status> {}
export interface ClientConfig extends Read<typeof clientConfig> {}
/** A claim as the hub sees it. */
export interface ManagedClusterClaim extends Read<typeof claim> {}
export interface ClusterSetManagedNamespace extends Read<typeof managedNamespace> {}

/** A cluster that is, or wants to be, managed from a hub. */
export interface ManagedCluster extends ObjectOf<typeof definition> {}
export interface NewManagedCluster extends DraftOf<typeof definition> {}
export const ManagedCluster: DefinedKind<ManagedCluster, NewManagedCluster> = definition

/** How often the agent of a cluster renews its lease, in seconds. Hubs without defaulting may hold 0 or nothing. */
export function clusterLeaseSeconds({ spec }: Pick<ManagedCluster, 'spec'>): number {
  const seconds = spec?.leaseDurationSeconds ?? 0
  return seconds > 0 ? seconds : DEFAULT_LEASE_SECONDS
}
