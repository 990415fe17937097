import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ManagedCluster, SEALING_KEY_ANNOTATION } from '@orrery/api'
import { generateSealingKeys, isSealed, revealManifest } from '@orrery/kube/seal'
import { sealForCluster } from './sealing.js'

const { publicKey, privateKey } = generateSealingKeys()

function clusterWith(annotations: Record<string, string>): ManagedCluster {
  const metadata = {
    name: 'c1',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2030-01-01T00:00:00Z',
    annotations,
  }
  return { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster', metadata } as ManagedCluster
}

const manifests = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'apps', name: 's' }, data: { a: 'YQ==' } },
]

test('Secrets are sealed to the key of the cluster', () => {
  const sealed = sealForCluster(manifests, clusterWith({ [SEALING_KEY_ANNOTATION]: publicKey }))
  assert.deepEqual(sealed.map(isSealed), [false, true])
  const revealed = sealed.map((manifest) => revealManifest(manifest, { cluster: 'c1', privateKeys: [privateKey] }))
  assert.deepEqual(revealed, manifests)
})

test('a cluster without a key is named', () => {
  assert.throws(() => sealForCluster(manifests, clusterWith({})), /^Error: cluster c1 has no key to seal to/)
})
