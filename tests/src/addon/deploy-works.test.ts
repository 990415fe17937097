import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CONFIG_SPEC_HASH_ANNOTATION, ManagedClusterAddOn, ManifestWork, type NewManifestWorkSpec } from '@orrery/api'
import { writeStatus } from '@orrery/kube'
import { configMap, deployment } from './addon-hub.js'
import { hello, namesIn, REF, startHello, WORK, writesNothing } from './hello.js'

suite('works of an add-on', () => {
  test('has the hashes of the configurations on the work, until there are none', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [configMap('one')]),
    )
    const addon = await hub.client.get(ManagedClusterAddOn, REF)
    const group = 'addon.open-cluster-management.io'
    const resource = 'addondeploymentconfigs'
    const desiredConfig = { namespace: 'ns', name: 'settings', specHash: 'abc' }
    const configReferences = [
      { group: '', resource: 'configmaps', desiredConfig: { ...desiredConfig, name: 'plain', specHash: 'def' } },
      { group, resource, desiredConfig },
    ]
    await writeStatus(
      hub.client,
      ManagedClusterAddOn,
      addon,
      ({ status }) => ({ ...status, configReferences }) as never,
    )
    const hashes = `{"addondeploymentconfigs.${group}/ns/settings":"abc","configmaps/ns/plain":"def"}`
    await hub.hub.when(
      ManifestWork,
      WORK,
      ({ metadata }) => metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION] === hashes,
    )
    const latest = await hub.client.get(ManagedClusterAddOn, REF)
    await writeStatus(hub.client, ManagedClusterAddOn, latest, ({ status }) => ({ ...status, configReferences: [] }))
    await hub.hub.when(
      ManifestWork,
      WORK,
      ({ metadata }) => metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION] === undefined,
    )
  })

  test('keeps objects that are marked when the add-on is deleted, and has the rules of prober and add-on', async (t) => {
    const orphan = { 'addon.open-cluster-management.io/deletion-orphan': '' }
    const identifier = { group: 'apps', resource: 'deployments', namespace: 'default', name: 'agent' }
    const hub = await startHello(
      t,
      hello(() => [configMap('kept', {}, orphan), configMap('gone'), deployment('agent')], {
        healthProber: { type: 'DeploymentAvailability' },
        manifestConfigs: [
          {
            resourceIdentifier: identifier,
            updateStrategy: { type: 'ServerSideApply' },
            feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'generation', path: '.metadata.generation' }] }],
          },
        ],
      }),
    )
    const { spec } = await hub.hub.when(ManifestWork, WORK)
    assert.deepEqual(spec?.deleteOption, {
      propagationPolicy: 'SelectivelyOrphan',
      selectivelyOrphans: {
        orphaningRules: [{ group: '', resource: 'configmaps', namespace: 'default', name: 'kept' }],
      },
    } satisfies NewManifestWorkSpec['deleteOption'])
    assert.deepEqual(spec?.manifestConfigs, [
      {
        resourceIdentifier: identifier,
        feedbackScrapeType: 'Poll',
        feedbackRules: [
          { type: 'WellKnownStatus' },
          { type: 'JSONPaths', jsonPaths: [{ name: 'generation', path: '.metadata.generation' }] },
        ],
        updateStrategy: { type: 'ServerSideApply' },
      },
    ])
  })

  test('splits manifests over works, and leaves each where it is', async (t) => {
    const large = (name: string) => configMap(name, { data: { text: 'x'.repeat(300_000) } })
    let manifests = [large('a'), large('b'), configMap('c')]
    const hub = await startHello(
      t,
      hello(() => manifests),
    )
    const second = { namespace: 'c1', name: 'addon-hello-deploy-1' }
    assert.deepEqual(namesIn(await hub.hub.when(ManifestWork, WORK)), ['a', 'c'])
    assert.deepEqual(namesIn(await hub.hub.when(ManifestWork, second)), ['b'])
    await writesNothing(hub)
    manifests = [configMap('d'), configMap('c'), large('b')]
    hub.manager.trigger('c1', 'hello')
    await hub.hub.when(ManifestWork, WORK, (work) => namesIn(work).join() === 'c,d')
    manifests = [configMap('d'), configMap('c')]
    hub.manager.trigger('c1', 'hello')
    await hub.hub.whenGone(ManifestWork, second)
    assert.deepEqual(namesIn(await hub.client.get(ManifestWork, WORK)), ['c', 'd'])
  })

  test('creates a work again that a user has deleted, and reverts changes', async (t) => {
    const hub = await startHello(
      t,
      hello(() => [configMap('one')]),
    )
    const first = await hub.hub.when(ManifestWork, WORK)
    await hub.client.delete(ManifestWork, WORK)
    await hub.hub.when(ManifestWork, WORK, ({ metadata }) => metadata.uid !== first.metadata.uid)
    await hub.client.patch(ManifestWork, WORK, { spec: { workload: { manifests: [configMap('two') as never] } } })
    await hub.hub.when(ManifestWork, WORK, (work) => namesIn(work).join() === 'one')
  })

  test('are not updated without end if their manifests are different each time', async (t) => {
    let renders = 0
    const hub = await startHello(
      t,
      hello(() => [configMap('one', { data: { renders: `${++renders}` } })]),
    )
    await hub.hub.when(ManifestWork, WORK, ({ metadata }) => metadata.generation === 11)
    await hub.settle()
    assert.equal((await hub.client.get(ManifestWork, WORK)).metadata.generation, 11)
    hub.hub.clock.advance(10_000)
    await hub.hub.when(ManifestWork, WORK, ({ metadata }) => metadata.generation === 12)
    await hub.settle()
    assert.equal((await hub.client.get(ManifestWork, WORK)).metadata.generation, 12)
  })
})
