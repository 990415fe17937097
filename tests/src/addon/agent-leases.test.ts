import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addonPart } from '@orrery/agent'
import { ManagedClusterAddOn } from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { advance } from '../agent/joining.js'
import { HUB_SERVER } from '../agent/spoke.js'
import { ADDON_NAMESPACE, startAddonWorld } from './addon-world.js'

test('addonPart: reports the availability of an add-on by its Lease, when it changes and when it expires', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke, refOf } = world
  // The hub would report a cluster as unreachable whose agent is slower than the clock of this test.
  await hub.stopControllers()
  await world.addAddon('hello', [])
  await world.whenCondition('hello', 'Available', 'Unknown', 'ManagedClusterAddOnLeaseNotFound')
  await world.renewLease('hello')
  await world.whenCondition('hello', 'Available', 'True', 'ManagedClusterAddOnLeaseUpdated')
  const { resourceVersion } = (await hub.client.get(ManagedClusterAddOn, refOf('hello'))).metadata
  for (let minutes = 0; minutes < 10; minutes++) {
    await advance(hub, 60_000)
    await world.renewLease('hello')
  }
  const renewed = await hub.client.get(ManagedClusterAddOn, refOf('hello'))
  assert.equal(renewed.metadata.resourceVersion, resourceVersion, 'renewals write nothing')
  await advance(hub, 299_000)
  const waiting = await hub.client.get(ManagedClusterAddOn, refOf('hello'))
  assert.equal(waiting.status?.conditions?.find(({ type }) => type === 'Available')?.status, 'True')
  await advance(hub, 2_000)
  await world.whenCondition('hello', 'Available', 'False', 'ManagedClusterAddOnLeaseUpdateStopped')
  await world.renewLease('hello')
  await world.whenCondition('hello', 'Available', 'True')
  await spoke.client.delete(Lease, { namespace: ADDON_NAMESPACE, name: 'hello' })
  await world.whenCondition('hello', 'Available', 'Unknown', 'ManagedClusterAddOnLeaseNotFound')
})

test('addonPart: leaves the availability of add-ons with the mode Customized to others, and reports problems of their agents', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, spoke, refOf } = world
  const addon = await world.addAddon('hello', [], { healthCheck: { mode: 'Customized' } })
  await world.addAddon('other', [])
  await world.whenCondition('other', 'Available', 'Unknown')
  await world.renewLease('hello')
  await hub.settle()
  assert.equal((await hub.client.get(ManagedClusterAddOn, refOf('hello'))).status?.conditions, undefined)
  const lease = { namespace: ADDON_NAMESPACE, name: 'hello' }
  const annotated = (value: string | null) => ({ metadata: { annotations: { 'addon.orrery.dev/problem': value } } })
  await spoke.client.patch(Lease, lease, annotated('it cannot read its file'))
  await world.whenCondition('hello', 'Degraded', 'True', 'AgentReportedProblem')
  await spoke.client.patch(Lease, lease, annotated(null))
  await world.whenCondition('hello', 'Degraded', 'False', 'AgentReportedNoProblem')
  await world.setStatus(addon, { healthCheck: { mode: 'Lease' } })
  await world.whenCondition('hello', 'Available', 'True')
})

test('addonPart: follows an add-on to another namespace, and closes the watch of the former one', async (t) => {
  const world = await startAddonWorld(t, { parts: [] })
  const { hub, spoke, link } = world
  await world.agent.close()
  const seen: string[] = []
  const transport = {
    request: (request: Parameters<typeof spoke.client.transport.request>[0]) => {
      if (request.path.includes('/leases') && request.path.includes('watch=')) {
        const namespace = /namespaces\/([^/]+)\//.exec(request.path)?.[1]
        // Where an add-on runs until the hub has set its namespace.
        if (namespace === ADDON_NAMESPACE) return spoke.client.transport.request(request)
        seen.push(`open ${namespace}`)
        request.signal?.addEventListener('abort', () => seen.push(`close ${namespace}`))
      }
      return spoke.client.transport.request(request)
    },
  }
  const { KubeClient } = await import('@orrery/kube')
  await spoke.startAgent(link, { spoke: new KubeClient(transport), clusterName: 'c1', parts: [addonPart] })
  const addon = await world.addAddon('hello', [], { namespace: 'first' })
  await world.addAddon('second', [], { namespace: 'first' })
  await world.renewLease('hello', 'default')
  await world.whenCondition('hello', 'Available', 'Unknown')
  await world.whenCondition('second', 'Available', 'Unknown')
  assert.deepEqual(seen, ['open first'], 'add-ons of one namespace share a watch')
  await world.setStatus(addon, { namespace: 'default' })
  await world.whenCondition('hello', 'Available', 'True')
  await hub.client.delete(ManagedClusterAddOn, world.refOf('second'))
  await hub.eventually('the watch is closed', async () => seen.includes('close first'))
  assert.deepEqual(seen, ['open first', 'open default', 'close first'])
})

test('addonPart: reports again what the hub set to Unknown while it was unreachable', async (t) => {
  const world = await startAddonWorld(t)
  const { hub, link, refOf } = world
  await world.addAddon('hello', [])
  await world.renewLease('hello')
  await world.whenCondition('hello', 'Available', 'True')
  link.cut(HUB_SERVER)
  const addon = await hub.client.get(ManagedClusterAddOn, refOf('hello'))
  const conditions = (addon.status?.conditions ?? []).map((condition) =>
    condition.type === 'Available'
      ? { ...condition, status: 'Unknown' as const, reason: 'ManagedClusterLeaseUpdateStopped' }
      : condition,
  )
  await world.setStatus(addon, { conditions })
  link.mend(HUB_SERVER)
  await hub.eventually('the agent reports', async () => {
    hub.clock.advance(1_000)
    await world.renewLease('hello')
    const current = await hub.client.get(ManagedClusterAddOn, refOf('hello'))
    return current.status?.conditions?.find(({ type }) => type === 'Available')?.status === 'True'
  })
})
