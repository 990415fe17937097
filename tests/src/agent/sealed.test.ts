import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sealingPart, workPart } from '@orrery/agent'
import {
  AGENT_NAMESPACE,
  ManagedCluster,
  ManifestWork,
  type NewManifestWorkSpec,
  SEALING_KEY_ANNOTATION,
} from '@orrery/api'
import { hubAdmission } from '@orrery/hub'
import { createWork, sealForCluster } from '@orrery/hub/operations'
import { ConfigMap, type KubeObject, Secret } from '@orrery/kinds'
import { forbidden } from '@orrery/kinds/values'
import { Discovery } from '@orrery/kube/discovery'
import { sealManifest } from '@orrery/kube/seal'
import type { HubServer } from '../hub/hub-server.js'
import { join, trusting } from './joining.js'
import { Spoke, startWorld } from './spoke.js'
import { appliedOf, isApplied, says } from './work-pair.js'

const CLEAR = 'open sesame'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const keyRef = { namespace: AGENT_NAMESPACE, name: 'orrery-sealing-key' }
const secretRef = { namespace: 'default', name: 'db' }
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: secretRef,
  data: { password: base64(CLEAR) },
}
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'beside' } }

const hasKey = ({ metadata }: ManagedCluster) => metadata.annotations?.[SEALING_KEY_ANNOTATION] !== undefined
const isRefused = (work: ManifestWork) => says(work, 'Applied', 'False')

/** Everything on a hub that a user with all read permissions can read. */
async function allOf(hub: HubServer): Promise<string> {
  const { resources } = await new Discovery(hub.client, { clock: hub.clock }).catalog()
  const lists = resources.filter(({ verbs }) => verbs.includes('list')).map((kind) => hub.client.list(kind))
  return JSON.stringify(await Promise.all(lists))
}

function sendWork(
  hub: HubServer,
  name: string,
  manifests: readonly object[],
  spec: Omit<NewManifestWorkSpec, 'workload'> = {},
): Promise<ManifestWork> {
  const workload = { manifests: manifests as KubeObject[] }
  return hub.client.create(ManifestWork, { metadata: { namespace: 'c1', name }, spec: { workload, ...spec } } as never)
}

suite('sealed Secret', () => {
  test('is plain on its cluster, and nowhere on the hub', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1', { parts: [sealingPart, workPart] })
    await hub.when(ManagedCluster, { name: 'c1' }, hasKey)
    const manifests = [secret, configMap]
    assert.equal(await createWork(hub.client, 'c1', { name: 'w', manifests, seal: true }), 'created')
    const rules = [{ name: 'password', path: '.data.password' }]
    await hub.client.patch(
      ManifestWork,
      { namespace: 'c1', name: 'w' },
      {
        spec: {
          manifestConfigs: [
            {
              resourceIdentifier: { group: '', resource: 'secrets', ...secretRef },
              feedbackRules: [{ type: 'JSONPaths', jsonPaths: rules }],
              updateStrategy: {
                type: 'ServerSideApply',
                serverSideApply: { ignoreFields: [{ condition: 'OnSpokeChange', jsonPaths: ['.type'] }] },
              },
            },
          ],
        },
      },
    )
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, isApplied)
    assert.deepEqual((await spoke.client.get(Secret, secretRef)).data, secret.data)
    await hub.settle()
    const privateKey = (await spoke.client.get(Secret, keyRef)).data?.private ?? ''
    assert.notEqual(privateKey, '')
    const onHub = await allOf(hub)
    assert.ok(onHub.includes(base64('orrery-sealed-value-1')))
    for (const place of [onHub, spoke.log.join('')]) {
      for (const text of [CLEAR, base64(CLEAR), privateKey, Buffer.from(privateKey, 'base64').toString()]) {
        assert.ok(!place.includes(text))
      }
    }
    assert.deepEqual(link.refused, [])
  })

  test('is rejected on another cluster, with the reason, and nothing of it is applied', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const elsewhere = await Spoke.start(t, hub.clock)
    await join(hub, spoke, link, 'c1', { parts: [sealingPart, workPart] })
    await join(hub, elsewhere, link, 'c2', { parts: [sealingPart, workPart] })
    const c1 = await hub.when(ManagedCluster, { name: 'c1' }, hasKey)
    const c2 = await hub.when(ManagedCluster, { name: 'c2' }, hasKey)

    await sendWork(hub, 'other', [...sealForCluster([secret], c2), configMap])
    const other = await hub.when(ManifestWork, { namespace: 'c1', name: 'other' }, isRefused)
    assert.match(
      appliedOf(other, 0)?.message ?? '',
      /secrets default\/db: the value of "password": it is sealed with a key that this cluster does not have.* seal the Secret again/,
    )
    assert.equal(appliedOf(other, 1)?.status, 'True')
    assert.ok(await spoke.client.find(ConfigMap, configMap.metadata))

    const publicKey = c1.metadata.annotations?.[SEALING_KEY_ANNOTATION] ?? ''
    await sendWork(hub, 'moved', [sealManifest(secret, { cluster: 'c2', publicKey })])
    const moved = await hub.when(ManifestWork, { namespace: 'c1', name: 'moved' }, isRefused)
    assert.match(appliedOf(moved, 0)?.message ?? '', /"password": it was sealed for another cluster/)
    assert.equal(await spoke.client.find(Secret, secretRef), undefined)
  })

  test('stays revealed when the keys change, and values sealed with the new keys are accepted', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1', { parts: [sealingPart, workPart] })
    const { metadata } = await hub.when(ManagedCluster, { name: 'c1' }, hasKey)
    const seal = true
    await createWork(hub.client, 'c1', { name: 'w', manifests: [secret], seal })
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, isApplied)
    await spoke.client.delete(Secret, keyRef)
    await hub.when(
      ManagedCluster,
      { name: 'c1' },
      (cluster) =>
        cluster.metadata.annotations?.[SEALING_KEY_ANNOTATION] !== metadata.annotations?.[SEALING_KEY_ANNOTATION],
    )
    await hub.client.patch(ManifestWork, { namespace: 'c1', name: 'w' }, { spec: { deleteOption: {} } })
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, isRefused)
    assert.deepEqual((await spoke.client.get(Secret, secretRef)).data, secret.data)
    const changed = { ...secret, data: { password: base64('tulip') } }
    await createWork(hub.client, 'c1', { name: 'w', manifests: [changed], seal, overwrite: true })
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, isApplied)
    assert.deepEqual((await spoke.client.get(Secret, secretRef)).data, changed.data)
  })
})

suite('sealing key of a cluster', () => {
  test('stays the same after a restart, and is not written again', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const first = await join(hub, spoke, link, 'c1', { parts: [sealingPart, workPart] })
    const before = await hub.when(ManagedCluster, { name: 'c1' }, hasKey)
    await first.close()
    link.seen.length = 0
    await join(hub, spoke, link, 'c1', { parts: [sealingPart, workPart], externalServerUrls: ['https://c1.example'] })
    const urlOf = ({ spec }: ManagedCluster) => spec?.managedClusterClientConfigs?.[0]?.url
    const after = await hub.when(ManagedCluster, { name: 'c1' }, (cluster) => urlOf(cluster) === 'https://c1.example')
    await hub.settle()
    assert.deepEqual(after.metadata.annotations, before.metadata.annotations)
    const updates = link.seen.filter(({ method, path }) => method === 'PUT' && /managedclusters\/c1(\?|$)/.test(path))
    assert.equal(updates.length, 1)
    assert.deepEqual(link.refused, [])
  })

  test('may be rejected by the hub: works continue', async (t) => {
    const refusal = forbidden({ group: 'cluster.open-cluster-management.io', resource: 'managedclusters' }, 'c1', 'no')
    const rules = hubAdmission(trusting)
    const { hub, spoke, link } = await startWorld(t, {
      ...trusting,
      admission: (context) => [
        ...rules.plugins(context),
        {
          name: 'no-keys',
          validate: ({ object }) => {
            if (object?.metadata.annotations?.[SEALING_KEY_ANNOTATION] !== undefined) throw refusal
          },
        },
      ],
    })
    rules.useClient(hub.client)
    await join(hub, spoke, link, 'c1', { parts: [sealingPart, workPart] })
    await sendWork(hub, 'w', [secret])
    await hub.when(ManifestWork, { namespace: 'c1', name: 'w' }, isApplied)
    await hub.eventually('the agent has sent a request', async () => link.refused.length > 0)
    await assert.rejects(
      createWork(hub.client, 'c1', { name: 'x', manifests: [secret], seal: true }),
      /^Error: cluster c1 has no key to seal to/,
    )
  })
})
