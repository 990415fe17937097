import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOSTING_CLUSTER_ANNOTATION, ManagedClusterAddOn } from '@orrery/api'
import { Lease, Namespace, Secret } from '@orrery/kinds'
import { formatMicroTime } from '@orrery/kinds/values'
import { FakeClock } from '@orrery/kube/testing'
import { Spoke } from '../agent/spoke.js'
import { ADDON_NAMESPACE, KUBE_CLIENT, startAddonWorld } from './addon-world.js'

test('addonPart: a hosted add-on has its Secret and its Lease on the hosting cluster', async (t) => {
  const { client: hosting } = await Spoke.start(t, new FakeClock())
  const world = await startAddonWorld(t, { addons: { hosting } })
  const { hub, refOf } = world
  const metadata = { ...refOf('hello'), annotations: { [HOSTING_CLUSTER_ANNOTATION]: 'hosting1' } }
  const addon = await hub.client.create(ManagedClusterAddOn, { metadata, spec: {} })
  await world.setStatus(addon, { registrations: [KUBE_CLIENT] })
  await world.approveNext('hello')
  const ref = { namespace: ADDON_NAMESPACE, name: 'hello-hub-kubeconfig' }
  await hub.eventually('the Secret is stored', async () => (await hosting.find(Secret, ref)) !== undefined)
  assert.equal(await world.secret('hello-hub-kubeconfig'), undefined)
  const namespace = await hosting.get(Namespace, { name: ADDON_NAMESPACE })
  assert.equal(namespace.metadata.labels?.['addon.open-cluster-management.io/namespace'], 'true')

  const unknown = await world.whenCondition('hello', 'Available', 'Unknown')
  const message = unknown.status?.conditions?.find(({ type }) => type === 'Available')?.message
  assert.match(message ?? '', /No lease found on hosting cluster "hosting1"/)
  const spec = { leaseDurationSeconds: 60, renewTime: formatMicroTime(hub.clock.now()) }
  await hosting.create(Lease, { metadata: { namespace: ADDON_NAMESPACE, name: 'hello' }, spec })
  await world.whenCondition('hello', 'Available', 'True')

  // Back in default mode, the Secret moves to the managed cluster.
  await hub.client.patch(ManagedClusterAddOn, refOf('hello'), {
    metadata: { annotations: { [HOSTING_CLUSTER_ANNOTATION]: null } },
  })
  await world.approveNext('hello')
  await world.whenSecret('hello-hub-kubeconfig')
  await hub.eventually('the former Secret is gone', async () => (await hosting.find(Secret, ref)) === undefined)
  await world.whenCondition('hello', 'Available', 'Unknown')
})
