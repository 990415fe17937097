import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { writeConditions } from '@orrery/kube'
import { AddonHub, conditionText, configMap, deployment, hasCondition, reportWork } from './addon-hub.js'
import { hello, REF, startHello, WORK, writesNothing } from './hello.js'

suite('health of an add-on', () => {
  test('renders once for a change, and writes nothing when nothing changes', async (t) => {
    let calls = 0
    const manifests = () => {
      calls++
      return [configMap('one', { data: { kept: undefined } }), deployment('agent')]
    }
    const hub = await startHello(t, hello(manifests, { healthProber: { type: 'DeploymentAvailability' } }))
    const values = { ReadyReplicas: 1, Replicas: 1 }
    const agent = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'agent', values }
    await reportWork(hub, 'c1', WORK.name, { objects: [agent] })
    await hasCondition(hub, REF, 'Available', 'True ProbeAvailable: hello add-on is available.')
    calls = 0
    await writesNothing(hub)
    assert.equal(calls, 1)
  })

  test('reports the health of the agent', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [deployment('agent')], { healthProber: { type: 'DeploymentAvailability' } }),
    )
    const object = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'agent' }
    await reportWork(hub, 'c1', WORK.name, { conditions: { Applied: 'True' } })
    await hasCondition(hub, REF, 'Available', 'Unknown WorkNotApplied: Addon manifestWork is not applied yet')
    await reportWork(hub, 'c1', WORK.name)
    await hasCondition(hub, REF, 'Available', 'Unknown NoProbeResult: Probe results are not returned')
    await reportWork(hub, 'c1', WORK.name, { objects: [{ ...object, values: { Replicas: 1 } }] })
    const why = 'desiredNumberReplicas is 1 but readyReplica is 0 for deployments default/agent'
    await hasCondition(hub, REF, 'Available', `False ProbeUnavailable: Probe addon unavailable with err ${why}`)
    await reportWork(hub, 'c1', WORK.name, { objects: [{ ...object, values: { Replicas: 1, ReadyReplicas: 1 } }] })
    await hasCondition(hub, REF, 'Available', 'True ProbeAvailable: hello add-on is available.')
    const { status } = await hub.client.get(ManagedClusterAddOn, REF)
    assert.deepEqual(status?.healthCheck, { mode: 'Customized' })
  })

  test('leaves the health to others without a prober, and with the probers None and Lease', async (t) => {
    const hub = await AddonHub.start(
      t,
      { name: 'silent', manifests: () => [configMap('one')] },
      { name: 'none', manifests: () => [configMap('one')], healthProber: { type: 'None' } },
      { name: 'lease', manifests: () => [configMap('one')], healthProber: { type: 'Lease' } },
    )
    await hub.cluster('c1')
    const modes = { silent: undefined, none: 'Customized', lease: 'Lease' }
    for (const [name, mode] of Object.entries(modes)) {
      await hub.addon('c1', name)
      await reportWork(hub, 'c1', `addon-${name}-deploy-0`)
      const ref = { namespace: 'c1', name }
      await hasCondition(
        hub,
        ref,
        'ManifestApplied',
        'True AddonManifestApplied: manifests of addon are applied successfully',
      )
      const addon = await hub.client.get(ManagedClusterAddOn, ref)
      assert.equal(addon.status?.healthCheck?.mode, mode, name)
      assert.equal(conditionText(addon, 'Available'), undefined, name)
    }
  })

  test('is left to the hub while the cluster is unreachable, and reported again afterwards', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [configMap('one')], { healthProber: { type: 'Work' } }),
    )
    await reportWork(hub, 'c1', WORK.name)
    const applied = 'True WorkApplied: Addon manifestWork is applied'
    await hasCondition(hub, REF, 'Available', applied)
    const setReachable = async (status: 'True' | 'Unknown') => {
      const cluster = await hub.client.get(ManagedCluster, { name: 'c1' })
      const finding = { type: 'ManagedClusterConditionAvailable', status, reason: 'Reported' }
      await writeConditions(hub.client, ManagedCluster, cluster, [finding])
    }
    await setReachable('Unknown')
    const addon = await hub.client.get(ManagedClusterAddOn, REF)
    await hub.report(addon, { type: 'Available', status: 'Unknown', reason: 'ManagedClusterLeaseUpdateStopped' })
    await hub.settle()
    await hasCondition(hub, REF, 'Available', 'Unknown ManagedClusterLeaseUpdateStopped: ')
    await setReachable('True')
    await hasCondition(hub, REF, 'Available', applied)
  })
})
