import { test } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import { ManagedCluster } from '@orrery/api'
import { installHub } from '@orrery/hub'
import { CertificateSigningRequest } from '@orrery/kinds'
import { approveRequest, isApproved } from '@orrery/kube/csr'
import { eventually } from '@orrery/kube/testing'
import { afterwards } from '../support/server.js'
import { serve, serveSpoke, when, whenJoined } from './fleet-parts.js'
import { OcmProgram } from './ocm.js'
import { runWork } from './works.js'

const CLUSTER = 'orrery-agent'

test("interop: Orrery's agent joins a hub of Open Cluster Management and applies works", async (t) => {
  const hub = await serve(t)
  const { bootstrapToken = '' } = await installHub(hub.client, { bootstrapToken: true })
  const namespace = '--namespace=open-cluster-management-hub'
  const registration = await OcmProgram.start(t, 'registration', [
    'controller',
    `--kubeconfig=${hub.kubeconfig}`,
    namespace,
  ])
  const work = await OcmProgram.start(t, 'work', ['manager', `--kubeconfig=${hub.kubeconfig}`, namespace])

  const spoke = await serveSpoke(t)
  const { url, certificateAuthority } = hub.server
  const kubeconfig = await bootstrapKubeconfig({ server: url, ca: certificateAuthority, token: bootstrapToken })
  const agent = await startAgent({
    spoke: spoke.client,
    clusterName: CLUSTER,
    bootstrap: { kubeconfigs: [kubeconfig] },
    healthCheckPeriod: 5_000,
  })
  afterwards(t, () => agent.close())

  await when(hub.client, ManagedCluster, { name: CLUSTER }, () => true, [registration])
  await eventually('the request for a certificate is there', async () => {
    const [request] = (await hub.client.list(CertificateSigningRequest)).items
    if (request !== undefined && !isApproved(request)) {
      await approveRequest(hub.client, request, { reason: 'Approved', message: 'by an administrator' })
    }
    return request !== undefined
  })
  await hub.client.patch(ManagedCluster, { name: CLUSTER }, { spec: { hubAcceptsClient: true } })
  await whenJoined(hub.client, CLUSTER, [registration])
  await runWork(hub.client, spoke.client, CLUSTER, [registration, work])
})
