import type { TestContext } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import { BOOTSTRAP_TOKEN_USER, EMBEDDED_HUB_FEATURES, hubAdmission, installHub, startHub } from '@orrery/hub'
import type { Programs } from '@orrery/node'
import { afterwards } from '../support/server.js'
import { prepareSpoke, type Served, serve, serveCluster, whenJoined } from './fleet-parts.js'

/** A hub of Orrery, and a cluster that has joined it with Orrery's agent and runs programs for images. */
export async function startOrreryFleet(
  t: Pick<TestContext, 'after'>,
  cluster: string,
  programs: Programs = {},
): Promise<{ readonly hub: Served; readonly managed: Served }> {
  const admission = hubAdmission()
  const hub = await serve(t, { admission: admission.plugins })
  admission.useClient(hub.client)
  const { bootstrapToken = '' } = await installHub(hub.client, { bootstrapToken: true })
  const controllers = await startHub({
    client: hub.client,
    features: { ...EMBEDDED_HUB_FEATURES, ManagedClusterAutoApproval: true },
    options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER] },
  })
  afterwards(t, () => controllers.close())

  const managed = await prepareSpoke(await serveCluster(t, cluster, programs))
  const { url, certificateAuthority } = hub.server
  const kubeconfig = await bootstrapKubeconfig({ server: url, ca: certificateAuthority, token: bootstrapToken })
  const agent = await startAgent({
    spoke: managed.client,
    clusterName: cluster,
    bootstrap: { kubeconfigs: [kubeconfig] },
  })
  afterwards(t, () => agent.close())
  await whenJoined(hub.client, cluster, [])
  return { hub, managed }
}
