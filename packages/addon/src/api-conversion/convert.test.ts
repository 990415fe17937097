import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { converted, convertedPatch, kindAt, SERVED, servedPath, USED } from './convert.js'

suite('kindAt', () => {
  const table: readonly [path: string, kind: string | undefined][] = [
    [`/apis/${USED}/clustermanagementaddons`, 'ClusterManagementAddOn'],
    [`/apis/${USED}/clustermanagementaddons/a/status?x=y`, 'ClusterManagementAddOn'],
    [`/apis/${USED}/managedclusteraddons?watch=true`, 'ManagedClusterAddOn'],
    [`/apis/${USED}/namespaces/c1/managedclusteraddons/a`, 'ManagedClusterAddOn'],
    [`/apis/${USED}/namespaces/managedclusteraddons/addondeploymentconfigs`, 'AddOnDeploymentConfig'],
    [`/apis/${SERVED}/addontemplates`, undefined],
    ['/apis/work.open-cluster-management.io/v1/manifestworks', undefined],
    ['/api/v1/namespaces/managedclusteraddons', undefined],
  ]
  for (const [path, kind] of table) test(path, () => assert.equal(kindAt(path), kind))
  test('servedPath changes only the version', () => {
    assert.equal(
      servedPath(`/apis/${USED}/namespaces/n/managedclusteraddons`),
      `/apis/${SERVED}/namespaces/n/managedclusteraddons`,
    )
    assert.equal(servedPath('/api/v1/pods'), '/api/v1/pods')
  })
})

suite('converted', () => {
  const used: JsonObject = {
    apiVersion: USED,
    kind: 'ManagedClusterAddOn',
    metadata: {
      name: 'a',
      ownerReferences: [
        { apiVersion: USED, kind: 'ClusterManagementAddOn', name: 'a', uid: 'u' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'v' },
      ],
    },
    status: { registrations: [{ type: 'kubeClient', kubeClient: { driver: 'csr', subject: { user: 'u' } } }] },
  }
  const served = converted(used, SERVED)

  test('converts objects and their owners in both directions', () => {
    assert.equal(served.apiVersion, SERVED)
    assert.deepEqual(served.status, {
      kubeClientDriver: 'csr',
      registrations: [{ signerName: 'kubernetes.io/kube-apiserver-client', subject: { user: 'u' } }],
    })
    const owners = (served.metadata as { ownerReferences: { apiVersion: string }[] }).ownerReferences
    assert.deepEqual(
      owners.map(({ apiVersion }) => apiVersion),
      [SERVED, 'v1'],
    )
    assert.deepEqual(converted(served, USED), used)
  })

  test('converts the items of lists, which may omit their version', () => {
    const { apiVersion: _, kind: __, ...item } = served
    const list = {
      apiVersion: SERVED,
      kind: 'ManagedClusterAddOnList',
      metadata: { resourceVersion: '5' },
      items: [item, served],
    }
    assert.deepEqual(converted(list, USED), {
      apiVersion: USED,
      kind: 'ManagedClusterAddOnList',
      metadata: { resourceVersion: '5' },
      items: [used, used],
    })
  })

  test('leaves everything else, but for owners', () => {
    const template = { apiVersion: SERVED, kind: 'AddOnTemplate', metadata: { name: 't' } }
    assert.deepEqual(converted(template, USED), template)
    const metadata = {
      name: 'w',
      ownerReferences: [{ apiVersion: SERVED, kind: 'ManagedClusterAddOn', name: 'a', uid: 'u' }],
    }
    const work = converted({ apiVersion: 'x/v1', kind: 'ManifestWork', metadata }, USED)
    assert.deepEqual((work.metadata as typeof metadata).ownerReferences[0]?.apiVersion, USED)
    assert.equal(work.apiVersion, 'x/v1')
  })

  test('converts merge patches, and adds nothing to them', () => {
    const status = { registrations: [{ type: 'customSigner', customSigner: { signerName: 'a.b/c' } }], namespace: null }
    assert.deepEqual(convertedPatch({ metadata: { uid: 'u' }, status }, 'ManagedClusterAddOn', SERVED), {
      metadata: { uid: 'u' },
      status: { registrations: [{ signerName: 'a.b/c' }], namespace: null },
    })
    assert.deepEqual(convertedPatch({ spec: { x: 1 } }, 'AddOnDeploymentConfig', SERVED), { spec: { x: 1 } })
    const renamed = convertedPatch({ status: { defaultConfigReferences: null } }, 'ClusterManagementAddOn', SERVED)
    assert.deepEqual(renamed, { status: { defaultconfigReferences: null } })
  })
})
