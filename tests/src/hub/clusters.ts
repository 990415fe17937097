import { CLUSTER_LEASE, ManagedCluster, ManagedClusterCondition, type ManagedClusterSpec } from '@orrery/api'
import { type Condition, type ConditionStatus, Lease, RoleBinding } from '@orrery/kinds'
import { findCondition, formatMicroTime } from '@orrery/kinds/values'
import { writeConditions } from '@orrery/kube'
import { approveRequest } from '@orrery/kube/csr'
import { askForCertificate } from './agent-csr.js'
import type { HubServer } from './hub-server.js'

export interface ClusterSettings {
  readonly spec?: Partial<ManagedClusterSpec>
  readonly annotations?: Record<string, string>
}

/** Creates a cluster that is not accepted yet. */
export function createCluster(hub: HubServer, name: string, settings: ClusterSettings = {}): Promise<ManagedCluster> {
  const { spec = {}, annotations = {} } = settings
  return hub.client.create(ManagedCluster, { metadata: { name, annotations }, spec: { ...spec } })
}

/**
 * Creates a cluster, approves the certificate of its agent `agent1`, accepts it, and waits until its agent has
 * permissions.
 */
export async function acceptedCluster(
  hub: HubServer,
  name: string,
  settings: ClusterSettings = {},
): Promise<ManagedCluster> {
  await createCluster(hub, name, { ...settings, spec: { ...settings.spec, hubAcceptsClient: true } })
  await registerAgent(hub, name)
  return hub.when(ManagedCluster, { name }, says(ManagedClusterCondition.HubAccepted, 'True'))
}

/** Approves the first certificate of an agent as an administrator, and waits until the hub has registered the agent. */
export async function registerAgent(hub: HubServer, cluster: string, agent = 'agent1'): Promise<void> {
  const request = await askForCertificate(hub.asBootstrapper(), { cluster, agent })
  await approveRequest(hub.client, request, { reason: 'Tested', message: '' }, { clock: hub.clock })
  await hub.eventually(`agent ${agent} may renew the lease of ${cluster}`, async () => {
    const { items } = await hub.client.list(RoleBinding, { namespace: cluster })
    const users = items.flatMap(({ subjects = [] }) => subjects.filter(({ name }) => name.endsWith(`:${agent}`)))
    return users.length === 2
  })
}

/** An accepted cluster whose agent has reported that it is available. */
export async function availableCluster(
  hub: HubServer,
  name: string,
  settings: ClusterSettings = {},
): Promise<ManagedCluster> {
  const cluster = await acceptedCluster(hub, name, settings)
  await hub.when(Lease, leaseOf(name))
  await report(hub, cluster, ManagedClusterCondition.Joined, 'True')
  return report(hub, cluster, ManagedClusterCondition.Available, 'True')
}

/** Reports a condition as the agent does. */
export function report(
  hub: HubServer,
  cluster: ManagedCluster,
  type: string,
  status: ConditionStatus,
): Promise<ManagedCluster> {
  const { name } = cluster.metadata
  const finding = { type, status, reason: 'Reported', message: 'reported' }
  return writeConditions(hub.asAgent(name), ManagedCluster, cluster, [finding], { clock: hub.clock })
}

/** Renews the lease as the agent does, whose clock may be off. */
export async function renew(hub: HubServer, name: string, skewMilliseconds = 0, agentName?: string): Promise<void> {
  const agent = hub.asAgent(name, agentName)
  const lease = await agent.get(Lease, leaseOf(name))
  const renewTime = formatMicroTime(new Date(hub.clock.now().getTime() + skewMilliseconds))
  await agent.update(Lease, { ...lease, spec: { ...lease.spec, renewTime } })
}

export function leaseOf(name: string): { namespace: string; name: string } {
  return { namespace: name, name: CLUSTER_LEASE }
}

/** Whether a cluster has a condition with this status and, if given, reason. */
export function says(type: string, status: ConditionStatus, reason?: string): (cluster: ManagedCluster) => boolean {
  return (cluster) => {
    const condition = conditionOf(cluster, type)
    return condition?.status === status && (reason === undefined || condition.reason === reason)
  }
}

export function conditionOf(cluster: ManagedCluster, type: string): Condition | undefined {
  return findCondition(cluster.status?.conditions, type)
}
