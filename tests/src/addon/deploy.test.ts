import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AgentAddon, Manifest } from '@orrery/addon'
import { ADDON_NAME_LABEL, ManagedCluster, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { AddonHub, conditionText, configMap, hasCondition, reportWork } from './addon-hub.js'
import { hello, REF, startHello, WORK } from './hello.js'

suite('addon-deploy-controller', () => {
  test('deploys an add-on with a work that its add-on owns', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [configMap('one'), configMap('two')]),
    )
    const { metadata, spec } = await hub.hub.when(ManifestWork, WORK)
    const addon = await hub.client.get(ManagedClusterAddOn, REF)
    assert.deepEqual(metadata.labels, { [ADDON_NAME_LABEL]: 'hello' })
    assert.deepEqual(metadata.ownerReferences, [
      {
        apiVersion: 'addon.open-cluster-management.io/v1beta1',
        kind: 'ManagedClusterAddOn',
        name: 'hello',
        uid: addon.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ])
    assert.deepEqual(spec?.workload?.manifests, [configMap('one'), configMap('two')])
    await hub.client.delete(ManagedClusterAddOn, REF)
    await hub.hub.whenGone(ManifestWork, WORK)
  })

  test('deploys nothing before the add-on is registered', async (t) => {
    const hub = await AddonHub.start(
      t,
      hello(() => [configMap('one')]),
    )
    await hub.cluster('c1')
    await hub.addon('c1', 'hello', { registered: false })
    await hub.settle()
    assert.deepEqual((await hub.client.list(ManifestWork)).items, [])
  })

  test('deploys nothing before the add-on is configured, if that is required', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [configMap('one')], { requiresConfiguration: true }),
    )
    await hub.settle()
    assert.deepEqual((await hub.client.list(ManifestWork)).items, [])
    const addon = await hub.client.get(ManagedClusterAddOn, REF)
    assert.equal(conditionText(addon, 'ManifestApplied'), undefined)
    await hub.report(addon, { type: 'Configured', status: 'True', reason: 'ConfigurationsConfigured' })
    await hub.hub.when(ManifestWork, WORK)
  })

  test('reports whether the manifests are applied', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [configMap('one')]),
    )
    await reportWork(hub, 'c1', WORK.name, { conditions: { Applied: 'False' } })
    await hasCondition(
      hub,
      REF,
      'ManifestApplied',
      'False AddonManifestAppliedFailed: failed to apply the manifests of addon',
    )
    await reportWork(hub, 'c1', WORK.name)
    await hasCondition(
      hub,
      REF,
      'ManifestApplied',
      'True AddonManifestApplied: manifests of addon are applied successfully',
    )
  })

  test('reports that there is nothing to apply, and removes works that have nothing left', async (t) => {
    let manifests: Manifest[] = [configMap('one')]
    const hub = await startHello(
      t,
      hello(() => manifests),
    )
    await hub.hub.when(ManifestWork, WORK)
    manifests = []
    hub.manager.trigger('c1', 'hello')
    await hub.hub.whenGone(ManifestWork, WORK)
    await hasCondition(hub, REF, 'ManifestApplied', 'True AddonManifestApplied: no manifest need to apply')
  })

  const failures: readonly [string, AgentAddon['manifests'], string][] = [
    [
      'manifests that cannot be rendered',
      () => {
        throw new Error('no image')
      },
      'failed to get manifest from agent interface: no image',
    ],
    [
      'a manifest without a kind',
      () => [{ ...configMap('one'), kind: '' }],
      'failed to build manifestwork: manifest 0 has no kind',
    ],
    [
      'a manifest without a name',
      () => [{ ...configMap('one'), metadata: {} }],
      'failed to build manifestwork: manifest 0 of kind ConfigMap has no metadata.name',
    ],
    [
      'two manifests of one object',
      () => [configMap('one'), configMap('one')],
      'failed to build manifestwork: ConfigMap default/one is in the manifests twice: keep one of them',
    ],
    [
      'a manifest that is too large',
      () => [configMap('one', { data: { text: 'x'.repeat(600_000) } })],
      'failed to build manifestwork: ConfigMap one takes more than 512000 bytes: no more fit into one work',
    ],
  ]
  for (const [what, manifests, problem] of failures) {
    test(`reports ${what}, and recovers`, async (t) => {
      let isBroken = true
      const addon = hello((...args) => (isBroken ? manifests(...args) : [configMap('one')]))
      const hub = await startHello(t, addon)
      await hasCondition(hub, REF, 'ManifestApplied', `False ManifestWorkApplyFailed: ${problem}`)
      isBroken = false
      await hub.hub.when(ManifestWork, WORK)
      // The failure is outdated while the agent of the cluster has not reported yet.
      await hub.hub.when(ManagedClusterAddOn, REF, (mca) => conditionText(mca, 'ManifestApplied') === undefined)
    })
  }

  test('renders again when labels, annotations or the add-on change, and when it is triggered', async (t) => {
    let outside = 'a'
    const hub = await startHello(
      t,
      hello(({ metadata }, addon) => [
        configMap('one', {
          data: { region: metadata.labels?.region ?? '', note: addon.metadata.annotations?.note ?? '', outside },
        }),
      ]),
    )
    const has = (data: object) =>
      hub.hub.when(ManifestWork, WORK, ({ spec }) => {
        const found = spec?.workload?.manifests?.[0]?.data
        return JSON.stringify(found) === JSON.stringify(data)
      })
    await has({ region: '', note: '', outside: 'a' })
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { region: 'eu' } } })
    await has({ region: 'eu', note: '', outside: 'a' })
    await hub.client.patch(ManagedClusterAddOn, REF, { metadata: { annotations: { note: 'n' } } })
    await has({ region: 'eu', note: 'n', outside: 'a' })
    outside = 'b'
    hub.manager.trigger('c1', 'hello')
    await has({ region: 'eu', note: 'n', outside: 'b' })
  })

  test('renders again on changes of clusters that the add-on names', async (t) => {
    const rendersOnClusterChange: AgentAddon['rendersOnClusterChange'] = (before, after) =>
      before.metadata.labels?.tier !== after.metadata.labels?.tier
    let calls = 0
    const hub = await startHello(
      t,
      hello(
        () => {
          calls++
          return [configMap('one')]
        },
        { rendersOnClusterChange },
      ),
    )
    await hub.hub.when(ManifestWork, WORK)
    await hub.settle()
    const before = calls
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { region: 'eu' } } })
    await hub.settle()
    assert.equal(calls, before)
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { labels: { tier: 'gold' } } })
    await hub.settle()
    assert.equal(calls, before + 1, 'renders once')
  })
})
