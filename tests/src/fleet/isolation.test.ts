import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_LEASE, ManagedCluster, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import {
  CertificateSigningRequest,
  ConfigMap,
  Event,
  Lease,
  Pod,
  type ResourceType,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import { approveRequest } from '@orrery/kube/csr'
import { askForCertificate } from '../hub/agent-csr.js'
import { EVERY_VERB, isRefused } from '../hub/attempt.js'
import { TlsHub, TlsSpoke } from './tls-fleet.js'

const KINDS: readonly (readonly [kind: ResourceType, name: string])[] = [
  [ManifestWork, 'w'],
  [Lease, CLUSTER_LEASE],
  [ManagedClusterAddOn, 'addon'],
  [Event, 'event'],
  [Secret, 'secret'],
  [ConfigMap, 'config'],
  [Pod, 'pod'],
  [ServiceAccount, 'default'],
  [RoleBinding, 'open-cluster-management:managedcluster:b:work'],
]

test('isolation: the certificate of one cluster gives no access to another', async (t) => {
  const hub = await TlsHub.start(t)
  for (const name of ['a', 'b']) await (await TlsSpoke.start(t, hub.clock)).join(hub, name)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c')
  const agent = await hub.as(spoke)
  for (const verb of EVERY_VERB) {
    for (const [kind, name] of KINDS) {
      for (const namespace of ['a', 'b', 'default', 'kube-system']) {
        const attempt = { kind, name, verb, namespace }
        assert.ok(await isRefused(agent, attempt), `${verb} ${kind.plural} in ${namespace}`)
      }
    }
    assert.ok(await isRefused(agent, { kind: ManagedCluster, name: 'b', verb }), `${verb} managedclusters b`)
  }
})

test('isolation: neither agents nor bootstrap users approve requests', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1')
  const agent = await hub.as(spoke)
  const other = 'system:open-cluster-management:other'
  const asked = new Set<string>()
  for (const who of [agent, hub.asBootstrapper()]) {
    for (const wish of [
      { cluster: 'c1', agent: 'another' },
      { cluster: 'c1', commonName: `${other}:agent1`, organizations: [other] },
      { cluster: 'other', organizations: [other, 'system:nodes'] },
    ]) {
      const request = await askForCertificate(who, wish)
      asked.add(request.metadata.name)
      const why = { reason: 'Trust', message: 'me' }
      await assert.rejects(approveRequest(who, request, why, { clock: hub.clock }), isForbidden)
    }
    await assert.rejects(askForCertificate(who, { cluster: 'c1', organizations: ['system:masters'] }), isForbidden)
  }
  await hub.wait(10_000, 100)
  const { items } = await hub.client.list(CertificateSigningRequest)
  const granted = items.filter(({ metadata, status }) => asked.has(metadata.name) && status?.conditions !== undefined)
  assert.deepEqual(granted, [])
})

test('isolation: a user with the bootstrap token can request to join, but not accept itself', async (t) => {
  const hub = await TlsHub.start(t)
  const spoke = await TlsSpoke.start(t, hub.clock)
  await spoke.join(hub, 'c1')
  const guest = hub.asBootstrapper()
  const accept = { spec: { hubAcceptsClient: true } }
  await assert.rejects(guest.create(ManagedCluster, { metadata: { name: 'c2' }, ...accept }), isForbidden)
  await assert.rejects(guest.patch(ManagedCluster, { name: 'c1' }, accept), isForbidden)
  for (const verb of EVERY_VERB) {
    for (const [kind, name] of KINDS) {
      if (kind === ConfigMap && verb === 'get') continue
      for (const namespace of ['c1', 'default', 'kube-system', 'open-cluster-management']) {
        const attempt = { kind, name, verb, namespace }
        assert.ok(await isRefused(guest, attempt), `${verb} ${kind.plural} in ${namespace}`)
      }
    }
  }
})
