import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_LEASE, ManagedCluster, ManagedClusterCondition, ManifestWork } from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { configMap } from '../agent/work-pair.js'
import { askForCertificate } from '../hub/agent-csr.js'
import { says } from '../hub/clusters.js'
import { TlsHub, TlsSpoke } from './tls-fleet.js'

const { HubAccepted } = ManagedClusterCondition
const MINUTE = 60_000

async function setAccepted(hub: TlsHub, hubAcceptsClient: boolean): Promise<void> {
  await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient } })
  const isDecided = says(HubAccepted, hubAcceptsClient ? 'True' : 'False')
  await hub.eventually('the hub has acted on it', async () =>
    isDecided(await hub.client.get(ManagedCluster, { name: 'c1' })),
  )
}

/** Follows works until the server ends the watch. */
async function followWorks(client: KubeClient, seen: Set<string>): Promise<void> {
  const options = { namespace: 'c1', timeoutSeconds: 120 }
  for await (const { object } of client.watch(ManifestWork, options)) seen.add(object.metadata.name)
}

test('denied cluster: is rejected at once, though its certificate is valid', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1')
  await hub.giveWork('c1', 'before', [configMap('before', { value: '1' })])
  await hub.whenApplied('c1', 'before')
  const before = await spoke.uidOf('before')
  const agent = await hub.as(spoke)
  const seen = new Set<string>()
  const following = followWorks(agent, seen).catch(() => undefined)
  await hub.eventually('the watch is open', () => seen.has('before'))

  await setAccepted(hub, false)
  await assert.rejects(agent.list(ManifestWork, { namespace: 'c1' }), isForbidden)
  await assert.rejects(agent.get(Lease, { namespace: 'c1', name: CLUSTER_LEASE }), isForbidden)
  await assert.rejects(askForCertificate(agent, { cluster: 'c1' }), isForbidden)
  const accept = { spec: { hubAcceptsClient: true } }
  await assert.rejects(agent.patch(ManagedCluster, { name: 'c1' }, accept), isForbidden)
  // The open watch is cut off, with any error.
  await following
  await hub.giveWork('c1', 'after', [configMap('after', { value: '1' })])
  await assert.rejects(followWorks(agent, seen), isForbidden)
  assert.deepEqual([...seen], ['before'])
  await hub.wait(3 * MINUTE, 5_000)
  assert.equal(await spoke.uidOf('after'), undefined, 'nothing is run for a hub that does not want the cluster')
  assert.equal(await spoke.uidOf('before'), before, 'and nothing is taken away')

  await setAccepted(hub, true)
  await hub.eventually('works are applied again', async () => (await spoke.uidOf('after')) !== undefined, 2_000)
  assert.equal(await spoke.uidOf('before'), before)
})
