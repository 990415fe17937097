import type { Agent, AgentOptions } from '@orrery/agent'
import { CLUSTER_NAME_LABEL, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER } from '@orrery/hub'
import { CertificateSigningRequest } from '@orrery/kinds'
import { approveRequest, isApproved } from '@orrery/kube/csr'
import { says } from '../hub/clusters.js'
import type { HubServer } from '../hub/hub-server.js'
import { whenQuiet } from '../support/quiet.js'
import type { HubLink } from './hub-link.js'
import type { Spoke } from './spoke.js'

/** A hub that accepts every cluster with the bootstrap token. */
export const trusting = {
  features: { ManagedClusterAutoApproval: true },
  options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER] },
}

export const isAvailable = says(ManagedClusterCondition.Available, 'True')

/** Joins a cluster to a hub that accepts it, and waits until it is available. */
export async function join(
  hub: HubServer,
  spoke: Spoke,
  link: HubLink,
  clusterName: string,
  options: Partial<AgentOptions> = {},
): Promise<Agent> {
  const agent = await spoke.startAgent(link, { clusterName, ...options })
  await hub.when(ManagedCluster, { name: clusterName }, isAvailable)
  return agent
}

export async function requestsOf(hub: HubServer, cluster: string): Promise<CertificateSigningRequest[]> {
  const { items } = await hub.client.list(CertificateSigningRequest, {
    labelSelector: `${CLUSTER_NAME_LABEL}=${cluster}`,
  })
  return items
}

/** Approves pending requests, as an administrator. */
export async function approveAll(hub: HubServer, cluster: string): Promise<void> {
  for (const request of await requestsOf(hub, cluster)) {
    if (!isApproved(request))
      await approveRequest(hub.client, request, { reason: 'Tested', message: '' }, { clock: hub.clock })
  }
}

/** Accepts a cluster, as an administrator. */
export async function accept(hub: HubServer, name: string, hubAcceptsClient = true): Promise<void> {
  await hub.client.patch(ManagedCluster, { name }, { spec: { hubAcceptsClient } })
}

const STEP_MILLISECONDS = 60_000
const PAUSE_MILLISECONDS = 4

/** Advances the clock in small steps. */
export async function advance(hub: HubServer, milliseconds: number): Promise<void> {
  for (let rest = milliseconds; rest > 0; rest -= STEP_MILLISECONDS) {
    hub.clock.advance(Math.min(rest, STEP_MILLISECONDS))
    await whenQuiet(PAUSE_MILLISECONDS)
  }
}
