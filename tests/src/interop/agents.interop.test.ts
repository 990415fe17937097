import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { bootstrapKubeconfig } from '@orrery/agent'
import { AGENT_NAMESPACE, ClusterClaim, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER, EMBEDDED_HUB_FEATURES, installHub, startHub } from '@orrery/hub'
import { isConditionTrue } from '@orrery/kube'
import { Lease } from '@orrery/kube/kinds'
import { eventually } from '../support/client.js'
import { afterwards } from '../support/server.js'
import { serve, serveSpoke, when } from './fleetparts.js'
import { OcmProgram } from './ocm.js'
import { runWork } from './works.js'

const CLUSTER = 'go-agents'

test("Open Cluster Management's agents join an Orrery hub and run work", async (t) => {
  const hub = await serve(t)
  const { bootstrapToken = '' } = await installHub(hub.client, { bootstrapToken: true })
  const controllers = await startHub({
    client: hub.client,
    features: { ...EMBEDDED_HUB_FEATURES, ManagedClusterAutoApproval: true },
    options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER] },
  })
  afterwards(t, () => controllers.close())

  const spoke = await serveSpoke(t)
  await spoke.client.create(ClusterClaim, { metadata: { name: 'id.k8s.io' }, spec: { value: 'the-id' } })
  const identity = join(spoke.directory, 'hub-kubeconfig')
  await mkdir(identity)
  const bootstrap = join(spoke.directory, 'bootstrap')
  const { url, certificateAuthority } = hub.server
  await writeFile(
    bootstrap,
    await bootstrapKubeconfig({ server: url, ca: certificateAuthority, token: bootstrapToken }),
  )
  const registration = await OcmProgram.start(t, 'registration', [
    'agent',
    `--spoke-cluster-name=${CLUSTER}`,
    `--bootstrap-kubeconfig=${bootstrap}`,
    `--hub-kubeconfig-dir=${identity}`,
    `--kubeconfig=${spoke.kubeconfig}`,
    `--namespace=${AGENT_NAMESPACE}`,
    '--cluster-healthcheck-period=5s',
  ])
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
  await eventually('the agent renews its lease', async () => {
    const lease = await hub.client.find(Lease, { namespace: CLUSTER, name: 'managed-cluster-lease' })
    return lease?.spec?.renewTime !== undefined
  })

  const work = await OcmProgram.start(t, 'work', [
    'agent',
    `--spoke-cluster-name=${CLUSTER}`,
    `--workload-source-config=${join(identity, 'kubeconfig')}`,
    `--hub-kubeconfig-dir=${identity}`,
    `--kubeconfig=${spoke.kubeconfig}`,
    `--namespace=${AGENT_NAMESPACE}`,
    '--status-sync-interval=5s',
  ])
  await runWork(hub.client, spoke.client, CLUSTER, [registration, work])
})
