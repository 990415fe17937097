import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrapKubeconfig, startAgent } from '@orrery/agent'
import { ClusterClaim, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { installHub } from '@orrery/hub'
import { approveRequest, isApproved, isConditionTrue } from '@orrery/kube'
import { CertificateSigningRequest } from '@orrery/kube/kinds'
import { eventually } from '../support/client.js'
import { afterwards } from '../support/server.js'
import { serve, serveSpoke, when } from './fleetparts.js'
import { OcmProgram } from './ocm.js'
import { runWork } from './works.js'

const CLUSTER = 'orrery-agent'

test("Orrery's agent joins a hub of Open Cluster Management and runs work", async (t) => {
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
  await spoke.client.create(ClusterClaim, { metadata: { name: 'id.k8s.io' }, spec: { value: 'the-id' } })
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
  const cluster = await when(
    hub.client,
    ManagedCluster,
    { name: CLUSTER },
    ({ status }) =>
      [ManagedClusterCondition.HubAccepted, ManagedClusterCondition.Joined, ManagedClusterCondition.Available].every(
        (type) => isConditionTrue(status?.conditions, type),
      ) && status?.clusterClaims?.length === 1,
    [registration],
  )
  assert.equal(cluster.status?.clusterClaims?.[0]?.value, 'the-id')
  await runWork(hub.client, spoke.client, CLUSTER, [registration, work])
})
