import type { TestContext } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import type { Programs } from '@orrery/node'
import { afterwards } from '../support/server.js'
import { prepareSpoke, type Served, serveCluster, whenJoined } from './fleet-parts.js'
import type { HubOfTest } from './hubs.js'
import type { OcmProgram } from './ocm.js'
import { ocmAgents } from './ocm-agents.js'

/** A cluster that has joined a hub and runs programs for images. */
export interface JoinedCluster extends Served {
  readonly programs: readonly OcmProgram[]
}

export type Join = (
  t: Pick<TestContext, 'after'>,
  hub: HubOfTest,
  cluster: string,
  programs?: Programs,
) => Promise<JoinedCluster>

/** A cluster with Orrery's agent. */
export const joinWithOrrery: Join = async (t, hub, cluster, programs = {}) => {
  const managed = await prepareSpoke(await serveCluster(t, cluster, programs))
  const { url: server, certificateAuthority: ca } = hub.server
  const kubeconfig = await bootstrapKubeconfig({ server, ca, token: hub.bootstrapToken })
  const agent = await startAgent({
    spoke: managed.client,
    clusterName: cluster,
    bootstrap: { kubeconfigs: [kubeconfig] },
  })
  afterwards(t, () => agent.close())
  await whenJoined(hub.client, cluster, hub.programs)
  return { ...managed, programs: [] }
}

/** A cluster with the registration and work agents of Open Cluster Management. */
export const joinWithOcm: Join = async (t, hub, cluster, programs = {}) => {
  const managed = await prepareSpoke(await serveCluster(t, cluster, programs))
  const agents = await ocmAgents(t, hub, hub.bootstrapToken, managed, cluster)
  const registration = await agents.startRegistration()
  await whenJoined(hub.client, cluster, [...hub.programs, registration])
  return { ...managed, programs: [registration, await agents.startWork()] }
}
