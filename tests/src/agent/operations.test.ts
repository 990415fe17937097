import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteBootstrapKubeconfig, deleteHubCredentials, readHubMembership } from '@orrery/agent/operations'
import { AGENT_NAMESPACE, BOOTSTRAP_SECRET, HUB_KUBECONFIG_SECRET } from '@orrery/api'
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
