import type { TestContext } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import type { KubeClientDriver } from '@orrery/api'
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

/** How a cluster joins. */
export interface JoinOptions {
  /** How the agents of add-ons authenticate. Default `csr`. */
  readonly driver?: KubeClientDriver
  /** The cluster that the agents of hosted add-ons run on. Default: the cluster itself. */
  readonly hosting?: Served
}

export type Join = (
  t: Pick<TestContext, 'after'>,
  hub: HubOfTest,
  cluster: string,
  programs?: Programs,
  options?: JoinOptions,
) => Promise<JoinedCluster>

/** A cluster with Orrery's agent. */
export const joinWithOrrery: Join = async (t, hub, cluster, programs = {}, { driver = 'csr', hosting } = {}) => {
  const managed = await prepareSpoke(await serveCluster(t, cluster, programs))
  const { url: server, certificateAuthority: ca } = hub.server
  const kubeconfig = await bootstrapKubeconfig({ server, ca, token: hub.bootstrapToken })
  const agent = await startAgent({
    spoke: managed.client,
    clusterName: cluster,
    bootstrap: { kubeconfigs: [kubeconfig] },
    addons: { kubeClientDriver: driver, ...(hosting && { hosting: hosting.client }) },
  })
  afterwards(t, () => agent.close())
  await whenJoined(hub.client, cluster, hub.programs)
  return { ...managed, programs: [] }
}

/** A cluster with the registration and work agents of Open Cluster Management. */
export const joinWithOcm: Join = async (t, hub, cluster, programs = {}, { driver = 'csr', hosting } = {}) => {
  const managed = await prepareSpoke(await serveCluster(t, cluster, programs))
  const agents = await ocmAgents(t, hub, hub.bootstrapToken, managed, cluster, hosting)
  const registration = await agents.startRegistration([`--addon-kubeclient-registration-auth=${driver}`])
  await whenJoined(hub.client, cluster, [...hub.programs, registration])
  return { ...managed, programs: [registration, await agents.startWork()] }
}
