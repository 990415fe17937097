import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '../schema/index.js'
import { ManagedClusterCondition } from './conditions.js'
import { namespaceName } from './managed-namespace.js'
import { CLUSTER_GROUP } from './names.js'
import { taint } from './taint.js'

const DEFAULT_LEASE_SECONDS = 60

const clientConfig = t.object(
  {
    url: t.string({ description: 'URL is the URL of the API server of the cluster.' }),
    caBundle: t.optional(
      t.bytes({
        description:
          'CABundle holds the CA certificates of the API server, in PEM. If unset, clients use their own trust ' +
          'store.',
      }),
    ),
  },
  { description: 'ClientConfig is an address of the API server of the cluster.' },
)

const spec = t.object(
  {
    hubAcceptsClient: t.optional(
      t.boolean({
        description:
          "HubAcceptsClient indicates whether the hub accepts this cluster's registration. Setting it to true " +
          "creates the cluster's namespace and grants its agent access. Setting it to false revokes the access. " +
          'Changing it requires the permission to update managedclusters/accept. Defaults to false.',
      }),
    ),
    leaseDurationSeconds: t.defaulted(
      t.integer({
        description:
          'LeaseDurationSeconds is the interval at which the agent renews its lease. If the lease is not renewed ' +
          "for five intervals, the cluster's availability becomes Unknown. Defaults to 60.",
        format: 'int32',
      }),
      DEFAULT_LEASE_SECONDS,
    ),
    managedClusterClientConfigs: t.optional(
      t.array(clientConfig, {
        description:
          'ManagedClusterClientConfigs lists addresses of the API server of the cluster. The hub does not use them ' +
          'itself.',
      }),
    ),
    taints: t.optional(
      t.array(taint, {
        description: 'Taints keep placements that do not tolerate them from selecting the cluster.',
      }),
    ),
  },
  { description: "Spec is the desired state of the cluster's registration." },
)

const claim = t.object(
  {
    name: t.optional(t.string({ description: 'Name is the name of the claim.', minLength: 1, maxLength: 253 })),
    value: t.optional(t.string({ description: 'Value is the value of the claim.', minLength: 1, maxLength: 1024 })),
  },
  { description: 'ManagedClusterClaim is a claim that the agent reports for the cluster.' },
)

const managedNamespace = t.object(
  {
    name: namespaceName,
    clusterSet: t.string({
      description: 'ClusterSet is the name of the ManagedClusterSet that requests the namespace.',
    }),
    conditions: t.optional(
      t.conditions({ description: 'Conditions describe the state of the namespace on the cluster.' }),
    ),
  },
  { description: 'A namespace that a ManagedClusterSet requests on the cluster.' },
)

const status = t.object(
  {
    conditions: t.optional(
      t.conditions({
        description: 'Conditions describe the state of the cluster: accepted, joined, available, clock in sync.',
      }),
    ),
    capacity: t.optional(t.map(t.quantity(), { description: 'Capacity is the sum of the resources of all nodes.' })),
    allocatable: t.optional(
      t.map(t.quantity(), { description: 'Allocatable is the sum of the allocatable resources of all nodes.' }),
    ),
    version: t.optional(
      t.object(
        { kubernetes: t.optional(t.string({ description: "Kubernetes is the version of the cluster's API server." })) },
        { description: 'Version holds the Kubernetes version of the cluster.' },
      ),
    ),
    clusterClaims: t.optional(
      t.array(claim, { description: 'ClusterClaims lists the claims of the cluster, as its agent reports them.' }),
    ),
    managedNamespaces: t.optional(
      t.array(managedNamespace, {
        description: 'ManagedNamespaces lists the namespaces that the ManagedClusterSets of the cluster request on it.',
        listType: 'map',
        listMapKeys: ['clusterSet', 'name'],
      }),
    ),
  },
  { description: 'Status is the state of the cluster, as its agent and the hub report it.' },
)

const definition = defineKind({
  group: CLUSTER_GROUP,
  version: 'v1',
  kind: 'ManagedCluster',
  plural: 'managedclusters',
  scope: 'Cluster',
  shortNames: ['mcl', 'mcls'],
  description:
    'ManagedCluster is a cluster that is registered with this hub. The agent of the cluster creates the ' +
    'object and reports its status. An administrator accepts the cluster by setting spec.hubAcceptsClient.',
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
/** A claim in the status of a ManagedCluster. */
export interface ManagedClusterClaim extends Read<typeof claim> {}
export interface ClusterSetManagedNamespace extends Read<typeof managedNamespace> {}

/** A cluster that is registered with a hub. */
export interface ManagedCluster extends ObjectOf<typeof definition> {}
export interface NewManagedCluster extends DraftOf<typeof definition> {}
export const ManagedCluster: DefinedKind<ManagedCluster, NewManagedCluster> = definition

/** How often the agent of a cluster renews its lease, in seconds. Hubs without defaulting may hold 0 or nothing. */
export function clusterLeaseSeconds({ spec }: Pick<ManagedCluster, 'spec'>): number {
  const seconds = spec?.leaseDurationSeconds ?? 0
  return seconds > 0 ? seconds : DEFAULT_LEASE_SECONDS
}
