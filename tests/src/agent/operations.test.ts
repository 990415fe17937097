import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteBootstrapKubeconfig, deleteHubCredentials, readHubMembership } from '@orrery/agent/operations'
import { ADDON_CREDENTIALS_LABEL, AGENT_NAMESPACE, BOOTSTRAP_SECRET, HUB_KUBECONFIG_SECRET } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { Namespace, Secret } from '@orrery/kinds'

test('deleteHubCredentials: removes the hub membership of a cluster', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const cluster = server.client()
  assert.deepEqual(await readHubMembership(cluster), {
    clusterName: undefined,
    hasBootstrapKubeconfig: false,
    works: 0,
  })
  await cluster.create(Namespace, { metadata: { name: AGENT_NAMESPACE } })
  await cluster.create(Secret, { metadata: { namespace: AGENT_NAMESPACE, name: BOOTSTRAP_SECRET } })
  const stringData = { 'cluster-name': 'c1' }
  await cluster.create(Secret, { metadata: { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET }, stringData })
  assert.deepEqual(await readHubMembership(cluster), { clusterName: 'c1', hasBootstrapKubeconfig: true, works: 0 })
  await deleteBootstrapKubeconfig(cluster)
  assert.equal((await readHubMembership(cluster)).hasBootstrapKubeconfig, false)
  await deleteHubCredentials(cluster)
  assert.equal((await readHubMembership(cluster)).clusterName, undefined)
})

test('deleteHubCredentials: deletes the credentials of add-ons of this cluster, and no other Secrets', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const cluster = server.client()
  await cluster.create(Namespace, { metadata: { name: AGENT_NAMESPACE } })
  const stringData = { 'cluster-name': 'c1' }
  await cluster.create(Secret, { metadata: { namespace: AGENT_NAMESPACE, name: HUB_KUBECONFIG_SECRET }, stringData })
  for (const [name, labels] of [
    ['own', { [ADDON_CREDENTIALS_LABEL]: 'c1' }],
    ['of-hosted-cluster', { [ADDON_CREDENTIALS_LABEL]: 'c2' }],
    ['other', {}],
  ] as const) {
    await cluster.create(Secret, { metadata: { namespace: 'default', name, labels } })
  }
  await deleteHubCredentials(cluster)
  const { items } = await cluster.list(Secret, { namespace: 'default' })
  assert.deepEqual(items.map(({ metadata }) => metadata.name).sort(), ['of-hosted-cluster', 'other'])
})
