import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  AGENT_SUBJECT_PREFIX,
  addOnConverters,
  CLUSTER_LEASE,
  CLUSTER_NAME_LABEL,
  KUBE_CLIENT_SIGNER,
  MANAGED_CLUSTERS_GROUP,
  ManagedCluster,
  ManagedClusterCondition,
  ManifestWork,
} from '@orrery/api'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { BOOTSTRAP_TOKEN_USER, hubAdmission, installHub, startHub } from '@orrery/hub'
import { Lease, SelfSubjectReview } from '@orrery/kinds'
import { formatMicroTime, isConditionFalse, isConditionTrue, isForbidden } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import { requestCertificate, waitForCertificate } from '@orrery/kube/csr'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { connect } from '@orrery/kube/transport'

const { HubAccepted } = ManagedClusterCondition

/** A hub that listens, and accepts every cluster with its token. */
async function startListeningHub(t: TestContext) {
  const admission = hubAdmission()
  const server = await startApiServer({ converters: addOnConverters, admission: admission.plugins })
  t.after(() => server.close())
  const client = server.client()
  admission.useClient(client)
  const { bootstrapToken = '' } = await installHub(client, { bootstrapToken: true })
  const hub = await startHub({
    client,
    features: { ManagedClusterAutoApproval: true },
    options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER] },
  })
  t.after(() => hub.close())
  return { server, client, bootstrapToken }
}

function clientOf(t: TestContext, server: ApiServer, credentials: Partial<ClientConfig>): KubeClient {
  const certificateAuthority = { text: server.certificateAuthority }
  const client = new KubeClient(connect({ server: server.url, certificateAuthority, ...credentials }))
  t.after(() => client.close())
  return client
}

/** Requests a certificate as an agent does, with any credentials. */
async function identityFrom(client: KubeClient, cluster: string, signal: AbortSignal) {
  const group = `${AGENT_SUBJECT_PREFIX}${cluster}`
  const { request, privateKeyPem } = await requestCertificate(client, {
    signerName: KUBE_CLIENT_SIGNER,
    generateName: `${cluster}-`,
    commonName: `${group}:agent1`,
    organizations: [group, MANAGED_CLUSTERS_GROUP],
    labels: { [CLUSTER_NAME_LABEL]: cluster },
  })
  const certificate = await waitForCertificate(client, request, { signal })
  return { clientCertificate: { text: certificate }, clientKey: { text: privateKeyPem } }
}

test('registration over TLS: a cluster joins with a bootstrap token, renews its certificate, and is denied', async (t) => {
  const { server, client, bootstrapToken } = await startListeningHub(t)
  const bootstrapper = clientOf(t, server, { token: bootstrapToken })
  const { status } = await bootstrapper.create(SelfSubjectReview, { metadata: {} })
  assert.equal(status?.userInfo?.username, BOOTSTRAP_TOKEN_USER)

  for (const name of ['a', 'b']) await bootstrapper.create(ManagedCluster, { metadata: { name }, spec: {} })
  const agent = clientOf(t, server, await identityFrom(bootstrapper, 'a', t.signal))
  const accepted = async () =>
    isConditionTrue((await agent.get(ManagedCluster, { name: 'a' })).status?.conditions, HubAccepted)
  await eventually('the agent sees that it was accepted', async () => {
    try {
      return await accepted()
    } catch (error) {
      if (isForbidden(error)) return false
      throw error
    }
  })
  const leaseRef = { namespace: 'a', name: CLUSTER_LEASE }
  await eventually('there is a lease', async () => (await agent.find(Lease, leaseRef)) !== undefined)
  const lease = await agent.get(Lease, leaseRef)
  await agent.update(Lease, { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(new Date()) } })
  assert.deepEqual((await agent.list(ManifestWork, { namespace: 'a' })).items, [])
  await assert.rejects(agent.list(ManifestWork, { namespace: 'b' }), isForbidden)

  const renewed = clientOf(t, server, await identityFrom(agent, 'a', t.signal))
  assert.deepEqual((await renewed.list(ManifestWork, { namespace: 'a' })).items, [])

  await client.patch(ManagedCluster, { name: 'a' }, { spec: { hubAcceptsClient: false } })
  await eventually('the cluster was denied', async () =>
    isConditionFalse((await client.get(ManagedCluster, { name: 'a' })).status?.conditions, HubAccepted),
  )
  for (const identity of [agent, renewed]) {
    await assert.rejects(identity.list(ManifestWork, { namespace: 'a' }), isForbidden)
    await assert.rejects(identityFrom(identity, 'a', t.signal), isForbidden)
    await identity.get(ManagedCluster, { name: 'a' })
  }
})
