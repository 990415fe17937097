import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionPath, creationPath, objectPath, queryString } from './paths.js'

const ConfigMap = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' } as const
const ClusterRole = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
} as const

test('collectionPath: is for one namespace, all namespaces, or the cluster', () => {
  assert.equal(collectionPath(ConfigMap, 'ns'), '/api/v1/namespaces/ns/configmaps')
  assert.equal(collectionPath(ConfigMap, undefined), '/api/v1/configmaps')
  assert.equal(collectionPath(ClusterRole, 'ignored'), '/apis/rbac.authorization.k8s.io/v1/clusterroles')
})

test('objectPath: escapes names to one segment', () => {
  assert.equal(
    objectPath(ClusterRole, { name: 'system:a/b' }),
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%2Fb',
  )
  assert.equal(
    objectPath(ConfigMap, { namespace: 'ns', name: 'c' }, 'status'),
    '/api/v1/namespaces/ns/configmaps/c/status',
  )
})

test('objectPath: rejects missing names and namespaces before a request is sent', () => {
  assert.throws(() => objectPath(ConfigMap, { namespace: 'ns', name: '' }), /ConfigMap: the object has no name/)
  assert.throws(() => objectPath(ConfigMap, { name: 'c' }), /ConfigMap is namespaced: set metadata.namespace/)
  assert.throws(() => creationPath(ConfigMap, ''), /set metadata.namespace/)
})

test('objectPath: rejects names that leave the collection, and empty names', () => {
  for (const name of ['.', '..']) {
    assert.throws(() => objectPath(ClusterRole, { name }), /is not a valid object name/)
    assert.throws(() => collectionPath(ConfigMap, name), /is not a valid object name/)
  }
  assert.throws(() => objectPath(ClusterRole, {} as { name: string }), /the object has no name/)
})

test('queryString: contains only the given values', () => {
  assert.equal(queryString({}), '')
  assert.equal(queryString({ a: undefined, b: '', c: false }), '')
  assert.equal(
    queryString({ labelSelector: 'a in (b, c)', limit: 5, watch: true }),
    '?labelSelector=a%20in%20(b%2C%20c)&limit=5&watch=true',
  )
})
