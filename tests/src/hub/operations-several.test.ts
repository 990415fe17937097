import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster, ManifestWork } from '@orrery/api'
import { acceptClusters, createWorks } from '@orrery/hub/operations'
import { CertificateSigningRequest, Role, RoleBinding } from '@orrery/kinds'
import { isApproved } from '@orrery/kube/csr'
import { askForCertificate } from './agent-csr.js'
import { acceptedCluster, createCluster } from './clusters.js'
import { HubServer } from './hub-server.js'

const draft = {
  name: 'w',
  manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'default' } }],
}

/** Grants alice permissions for the works of a cluster. */
async function grant(hub: HubServer, namespace: string, verbs: string[]): Promise<void> {
  const metadata = { namespace, name: 'alice' }
  const rules = [{ apiGroups: [ManifestWork.group], resources: [ManifestWork.plural], verbs }]
  await hub.client.create(Role, { metadata, rules })
  await hub.client.create(RoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'alice' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  })
}

test('createWorks: writes nothing if the hub refuses the work of one cluster', async (t) => {
  const hub = await HubServer.start(t)
  await Promise.all([acceptedCluster(hub, 'c1'), acceptedCluster(hub, 'c2')])
  await grant(hub, 'c1', ['get', 'list', 'create'])
  await grant(hub, 'c2', ['get', 'list'])
  const alice = hub.as('alice')
  const works = async () => (await hub.client.list(ManifestWork)).items.map(({ metadata }) => metadata.namespace)
  await assert.rejects(
    createWorks(alice, ['c1', 'c2'], draft),
    /cannot create resource "manifestworks".*\nNothing was changed\.$/s,
  )
  assert.deepEqual(await works(), [])
  await createWorks(alice, ['c1'], draft)
  assert.deepEqual(await works(), ['c1'])
})

test('acceptClusters: accepts none if several agents request the name of one of them', async (t) => {
  const hub = await HubServer.start(t)
  await Promise.all([createCluster(hub, 'c1'), createCluster(hub, 'c2')])
  const requests = await Promise.all([
    askForCertificate(hub.asBootstrapper(), { cluster: 'c1' }),
    askForCertificate(hub.asBootstrapper(), { cluster: 'c2', agent: 'a' }),
    askForCertificate(hub.asBootstrapper(), { cluster: 'c2', agent: 'b' }),
  ])
  const accept = acceptClusters(hub.client, ['c1', 'c2'], { clock: hub.clock })
  await assert.rejects(accept, /2 agents request a certificate for cluster c2.*\nNothing was changed\.$/s)
  assert.notEqual((await hub.client.get(ManagedCluster, { name: 'c1' })).spec?.hubAcceptsClient, true)
  for (const { metadata } of requests) {
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
  }
})
