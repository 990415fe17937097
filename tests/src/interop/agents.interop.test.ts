import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGENT_NAMESPACE, HUB_KUBECONFIG_SECRET, ManagedCluster, ManifestWork } from '@orrery/api'
import { Lease, Secret } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { connect } from '@orrery/kube/transport'
import { afterwards } from '../support/server.js'
import { serveSpoke, whenGone, whenJoined } from './fleet-parts.js'
import { startOrreryHub } from './hubs.js'
import { ocmAgents } from './ocm-agents.js'
import { runWork } from './works.js'

const CLUSTER = 'go-agents'

test("interop: Open Cluster Management's agents join an Orrery hub and apply works", async (t) => {
  const hub = await startOrreryHub(t)
  const { url, certificateAuthority } = hub.server
  const spoke = await serveSpoke(t)
  const agents = await ocmAgents(t, hub, hub.bootstrapToken, spoke, CLUSTER)
  const registration = await agents.startRegistration()
  await whenJoined(hub.client, CLUSTER, [registration])
  await eventually('the agent renews its lease', async () => {
    const lease = await hub.client.find(Lease, { namespace: CLUSTER, name: 'managed-cluster-lease' })
    return lease?.spec?.renewTime !== undefined
  })

  const work = await agents.startWork()
  await runWork(hub.client, spoke.client, CLUSTER, [registration, work])

  // It is detached and joins again. The previous certificate gives no access.
  const secret = { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET }
  const { data = {} } = await spoke.client.get(Secret, secret)
  const pem = (key: string) => ({ text: Buffer.from(data[key] ?? '', 'base64').toString('utf8') })
  const before = new KubeClient(
    connect({
      server: url,
      certificateAuthority: { text: certificateAuthority },
      clientCertificate: pem('tls.crt'),
      clientKey: pem('tls.key'),
    }),
  )
  afterwards(t, () => before.close())
  assert.deepEqual((await before.list(ManifestWork, { namespace: CLUSTER })).items, [])
  await hub.client.delete(ManagedCluster, { name: CLUSTER })
  await whenGone(hub.client, ManagedCluster, { name: CLUSTER })
  await Promise.all([registration.stop(), work.stop()])
  await spoke.client.delete(Secret, secret)
  await agents.forgetIdentity()
  await whenJoined(hub.client, CLUSTER, [await agents.startRegistration()])
  await assert.rejects(before.list(ManifestWork, { namespace: CLUSTER }), isForbidden)
  await assert.rejects(before.get(ManagedCluster, { name: CLUSTER }), isForbidden)
})
