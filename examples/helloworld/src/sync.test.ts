import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runAddonAgent } from '@orrery/addon/agent'
import { addOnConverters, hubCrds, ManagedClusterAddOn } from '@orrery/api'
import { eventually, startTestServer } from '@orrery/apiserver/testing'
import { ConfigMap, Deployment, Lease, Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { ensureCrds } from '@orrery/kube/write'
import { commands } from './commands.js'
import { agentManifests } from './manifests.js'
import { configMapSync } from './sync.js'

const NAMESPACE = 'default'
const ADDON_REF = { namespace: 'c1', name: 'helloworld' }
const copyOf = (name: string) => ({ namespace: NAMESPACE, name })

/** A hub with the namespace of a cluster, a managed cluster with the Deployment of the agent, and the agent. */
async function start(t: TestContext) {
  const hub = await startTestServer({ converters: addOnConverters })
  const managed = await startTestServer()
  const crds = hubCrds().filter(({ spec }) => spec.names.kind === ManagedClusterAddOn.kind)
  await ensureCrds(hub.client, crds, { fieldManager: 'test' })
  await hub.client.create(Namespace, { metadata: { name: 'c1' } })
  await hub.client.create(ManagedClusterAddOn, { metadata: ADDON_REF, spec: {} })
  const [deployment] = agentManifests({ clusterName: 'c1', namespace: NAMESPACE, image: 'x' }).slice(-1)
  await managed.client.create(Deployment, deployment as never)
  const stopping = new AbortController()
  const agent = runAddonAgent({
    name: 'helloworld',
    args: ['--hub-kubeconfig=unused', '--cluster-name=c1', `--addon-namespace=${NAMESPACE}`],
    deployment: 'helloworld-agent',
    clients: { hub: hub.client, managed: managed.client },
    controllers: (context) => [configMapSync(context)],
    log: silentLogger,
    signal: stopping.signal,
  })
  const stop = () => {
    stopping.abort()
    return agent
  }
  t.after(async () => {
    await stop()
    await hub.close()
    await managed.close()
  })
  return { hub: hub.client, managed: managed.client, stop }
}

const createOn = (client: KubeClient, name: string, data = { a: '1' }, labels = {}) =>
  client.create(ConfigMap, { metadata: { namespace: 'c1', name, labels }, data })

test('configMapSync: copies ConfigMaps from the hub, follows changes, and deletes copies without an original', async (t) => {
  const { hub, managed } = await start(t)
  await hub.create(ConfigMap, {
    metadata: { namespace: 'c1', name: 'hello' },
    data: { a: '1' },
    binaryData: { b: 'AAE=' },
  })
  const copy = await eventually('it is copied', () => managed.find(ConfigMap, copyOf('hello')))
  assert.deepEqual(
    [copy.data, copy.binaryData, copy.metadata.labels],
    [{ a: '1' }, { b: 'AAE=' }, { 'synced-from-hub': '' }],
  )
  await hub.patch(ConfigMap, { namespace: 'c1', name: 'hello' }, { data: { a: null, c: '3' } })
  await eventually('the change is copied', async () => {
    const { data } = await managed.get(ConfigMap, copyOf('hello'))
    return data?.c === '3' && data.a === undefined
  })
  await managed.patch(ConfigMap, copyOf('hello'), { data: { c: 'changed' } })
  await eventually('the copy is restored', async () => (await managed.get(ConfigMap, copyOf('hello'))).data?.c === '3')
  await hub.delete(ConfigMap, { namespace: 'c1', name: 'hello' })
  await eventually('the copy is gone', async () => (await managed.find(ConfigMap, copyOf('hello'))) === undefined)
})

test('configMapSync: leaves alone what each namespace has, reports of add-ons, and ConfigMaps of others', async (t) => {
  const { hub, managed } = await start(t)
  await managed.create(ConfigMap, { metadata: copyOf('settings'), data: { mine: 'yes' } })
  await createOn(hub, 'settings')
  await createOn(hub, 'pod-report', { a: '1' }, { 'open-cluster-management.io/addon-name': 'basic-addon' })
  const root = await eventually('the hub has its root', () =>
    hub.find(ConfigMap, { namespace: 'c1', name: 'kube-root-ca.crt' }),
  )
  await createOn(hub, 'last')
  await eventually('the last one is copied', () => managed.find(ConfigMap, copyOf('last')))
  assert.deepEqual((await managed.get(ConfigMap, copyOf('settings'))).data, { mine: 'yes' })
  assert.equal(await managed.find(ConfigMap, copyOf('pod-report')), undefined)
  assert.notEqual((await managed.get(ConfigMap, copyOf('kube-root-ca.crt'))).data?.['ca.crt'], root.data?.['ca.crt'])
})

test('configMapSync: makes no copies while the add-on is being deleted', async (t) => {
  const { hub, managed } = await start(t)
  await createOn(hub, 'first')
  await eventually('it is copied', () => managed.find(ConfigMap, copyOf('first')))
  await hub.patch(ManagedClusterAddOn, ADDON_REF, { metadata: { finalizers: ['example.com/wait'] } })
  await hub.delete(ManagedClusterAddOn, ADDON_REF)
  await createOn(hub, 'second')
  await hub.patch(ConfigMap, { namespace: 'c1', name: 'first' }, { data: { a: '2' } })
  await eventually('changes are copied', async () => (await managed.get(ConfigMap, copyOf('first'))).data?.a === '2')
  assert.equal(await managed.find(ConfigMap, copyOf('second')), undefined)
})

test('agent: its copies and its lease are deleted with its Deployment', async (t) => {
  const { hub, managed, stop } = await start(t)
  await createOn(hub, 'hello')
  await eventually('it is copied', () => managed.find(ConfigMap, copyOf('hello')))
  await eventually('the lease exists', () => managed.find(Lease, copyOf('helloworld')))
  await stop()
  await managed.delete(Deployment, copyOf('helloworld-agent'))
  await eventually('nothing is left', async () => {
    const left = [await managed.find(ConfigMap, copyOf('hello')), await managed.find(Lease, copyOf('helloworld'))]
    return left.every((object) => object === undefined)
  })
})

test('commands: name the flag that is missing', async () => {
  await assert.rejects(commands.agent(['--cluster-name=c1']), /--hub-kubeconfig is required/)
  await assert.rejects(commands.cleanup([]), /--hub-kubeconfig is required/)
  assert.throws(() => commands.controller(['--cluster-name=c1']), /Unknown option '--cluster-name'/)
})
