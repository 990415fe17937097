import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deleteOptionOf } from './orphans.js'

const marked = (apiVersion: string, kind: string, namespace?: string) => ({
  apiVersion,
  kind,
  metadata: {
    name: 'one',
    ...(namespace !== undefined && { namespace }),
    annotations: { 'addon.open-cluster-management.io/deletion-orphan': '' },
  },
})

suite('deleteOptionOf', () => {
  const rows: readonly [string, string, string, string][] = [
    ['v1', 'ConfigMap', '', 'configmaps'],
    ['v1', 'Endpoints', '', 'endpoints'],
    ['networking.k8s.io/v1', 'Ingress', 'networking.k8s.io', 'ingresses'],
    ['networking.k8s.io/v1', 'NetworkPolicy', 'networking.k8s.io', 'networkpolicies'],
  ]
  for (const [apiVersion, kind, group, resource] of rows) {
    test(`keeps ${kind} by its resource ${resource}`, () => {
      assert.deepEqual(deleteOptionOf([marked(apiVersion, kind, 'ns')]), {
        propagationPolicy: 'SelectivelyOrphan',
        selectivelyOrphans: { orphaningRules: [{ group, resource, name: 'one', namespace: 'ns' }] },
      })
    })
  }

  test('has no namespace for objects without one', () => {
    const option = deleteOptionOf([marked('rbac.authorization.k8s.io/v1', 'ClusterRole')])
    assert.deepEqual(option?.selectivelyOrphans?.orphaningRules, [
      { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'one' },
    ])
  })

  test('is the default if everything is deleted', () => {
    assert.equal(deleteOptionOf([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }]), undefined)
  })
})
