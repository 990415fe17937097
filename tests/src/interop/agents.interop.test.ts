import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { bootstrapKubeconfig } from '@orrery/agent'
import { AGENT_NAMESPACE } from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER, EMBEDDED_HUB_FEATURES, installHub, startHub } from '@orrery/hub'
import { Lease } from '@orrery/kube/kinds'
import { eventually } from '../support/client.js'
import { afterwards } from '../support/server.js'
import { serve, serveSpoke, whenJoined } from './fleetparts.js'
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
  await whenJoined(hub.client, CLUSTER, [registration])
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
