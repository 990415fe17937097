import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addonPart } from '@orrery/agent'
import { ManagedClusterAddOnV1Alpha1 } from '@orrery/api'
import { CustomResourceDefinition } from '@orrery/kinds'
import { writeStatus } from '@orrery/kube'
import { certificateIn, startAddonWorld } from './addon-world.js'

const KUBE_SIGNER = 'kubernetes.io/kube-apiserver-client'

test('addonPart: registers add-ons on a hub that serves v1alpha1 only', async (t) => {
  const world = await startAddonWorld(t, { parts: [] })
  const { hub, spoke, link, refOf } = world
  await world.agent.close()
  await hub.stopControllers()
  const crd = { name: 'managedclusteraddons.addon.open-cluster-management.io' }
  const { spec } = await hub.client.get(CustomResourceDefinition, crd)
  const versions = spec.versions.map((version) => ({ ...version, served: version.name === 'v1alpha1' }))
  await hub.client.patch(CustomResourceDefinition, crd, { spec: { versions } })
  await hub.eventually('v1beta1 is not served', async () => {
    const path = '/apis/addon.open-cluster-management.io/v1beta1'
    const { resources } = await hub.client.getJson<{ resources: { name: string }[] }>(path)
    return resources.every(({ name }) => name !== 'managedclusteraddons')
  })

  const addon = await hub.client.create(ManagedClusterAddOnV1Alpha1, {
    metadata: refOf('hello'),
    spec: { installNamespace: 'hello-ns' },
  })
  const subject = { user: 'agent', groups: ['group'], organizationUnit: ['unit'] }
  const registrations = [{ signerName: KUBE_SIGNER }, { signerName: 'example.com/signer', subject }]
  await writeStatus(hub.client, ManagedClusterAddOnV1Alpha1, addon, (current) => ({ ...current.status, registrations }))
  await spoke.startAgent(link, { clusterName: 'c1', parts: [addonPart] })
  await world.approveNext('hello')
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig', 'hello-ns')
  const secret = await world.whenSecret('hello-example.com-signer-client-cert', 'hello-ns')
  assert.deepEqual(certificateIn(secret).subject.organizationalUnits, ['unit'])
  await world.renewLease('hello', 'hello-ns')
  const conditions = ['Available', 'ClusterCertificateRotated']
  const reported = await hub.when(ManagedClusterAddOnV1Alpha1, refOf('hello'), ({ status }) =>
    conditions.every((type) => status?.conditions?.some((found) => found.type === type && found.status === 'True')),
  )
  assert.deepEqual(reported.status?.registrations, registrations)
  assert.equal(reported.status?.kubeClientDriver, 'csr')
})
