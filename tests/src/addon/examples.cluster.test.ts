import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ADDON_NAMESPACE, ManagedCluster, OPERATOR_NAMESPACE, WEBHOOK_SECRET } from '@orrery/api'
import { applyManifests, readBundle, whenAddOnsAvailable } from '@orrery/fleet'
import { type KubeObject, Namespace, Pod, Secret } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { Discovery } from '@orrery/kube/discovery'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { eventually, patience } from '@orrery/kube/testing'
import { findWebhooks, removeWebhooks } from '@orrery/webhook'
import { parseAllDocuments } from 'yaml'
import { orrery } from '../support/cli-here.js'
import { type Foreground, running } from '../support/fleet.js'
import { freePort } from '../support/free-port.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { copiesConfigMaps, type ExampleFleet, leavesNothing, reportsInFiveWays } from './example-story.js'

const ADD_ONS = ['helloworld', 'basic-addon']
const CLUSTER = 'itself'
const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))
/** The registry in the manifests of the examples. */
const REGISTRY = 'orrery.dev/examples'
const KUBECONFIG = process.env.KUBECONFIG ?? join(homedir(), '.kube/config')
const PATIENCE = { timeoutMilliseconds: 180_000 }

const { ORRERY_TEST_HOST: host, ORRERY_TEST_EXAMPLE_IMAGES: registry } = process.env

async function succeeds(...args: readonly string[]): Promise<void> {
  const { code, errors } = await orrery(...args)
  assert.equal(code, 0, `orrery ${args.join(' ')}: ${errors}`)
}

/** Runs a command of Orrery for a test. */
function runs(t: TestContext, ...args: readonly string[]): Foreground {
  const command = running(...args, '--log-format', 'text')
  afterwards(t, async () => {
    command.process.kill('SIGTERM')
    await command.ended
  })
  return command
}

/** Makes the cluster a hub that manages itself, as a user does. Resolves with its hub and its agent. */
async function startFleet(t: TestContext, client: KubeClient): Promise<readonly Foreground[]> {
  const bootstrap = join(await temporaryDirectory(t), 'bootstrap.kubeconfig')
  await succeeds('init', '--kubeconfig', KUBECONFIG)
  afterwards(t, async () => {
    await removeWebhooks(client)
    await client.ensureDeleted(Secret, WEBHOOK_SECRET)
    await client.ensureDeleted(Namespace, { name: CLUSTER })
    const isGone = async () => (await client.find(Namespace, { name: CLUSTER })) === undefined
    await eventually('the namespace is gone', isGone, PATIENCE)
  })
  const webhooks = `https://${host}:${await freePort()}`
  const hub = runs(t, 'hub', '--kubeconfig', KUBECONFIG, '--auto-approve', '--webhook-url', webhooks)
  await eventually('the webhooks are called', async () => (await findWebhooks(client)).state === 'called', PATIENCE)
  await succeeds('get', 'token', '--kubeconfig', KUBECONFIG, '--bootstrap-kubeconfig', bootstrap)
  const names = ['--cluster-name', CLUSTER]
  const agent = runs(t, 'agent', '--kubeconfig', KUBECONFIG, ...names, '--bootstrap-kubeconfig', bootstrap)
  afterwards(t, () => succeeds('unjoin', '--kubeconfig', KUBECONFIG, '--hub-kubeconfig', KUBECONFIG, ...names))
  await eventually(
    'the cluster is available',
    async () => {
      const found = await client.find(ManagedCluster, { name: CLUSTER })
      return isConditionTrue(found?.status?.conditions, 'ManagedClusterConditionAvailable')
    },
    PATIENCE,
  )
  return [hub, agent]
}

/** The cluster rejects pods in a namespace that could harm its node. */
async function restrict(t: TestContext, client: KubeClient, name: string): Promise<void> {
  const enforce = 'pod-security.kubernetes.io/enforce'
  await client.patch(Namespace, { name }, { metadata: { labels: { [enforce]: 'restricted' } } })
  afterwards(t, async () => {
    await client.patch(Namespace, { name }, { metadata: { labels: { [enforce]: null } } })
  })
}

/** The manifests of an example with its image in the registry of the test. */
async function manifestsOf(name: string): Promise<KubeObject[]> {
  const { manifests } = await readBundle(join(EXAMPLES, name))
  const texts = await Promise.all(manifests.map((file) => readFile(file, 'utf8')))
  return texts
    .flatMap((text) => parseAllDocuments(text.replaceAll(REGISTRY, registry ?? '')))
    .map((document) => document.toJSON() as KubeObject)
}

async function install(t: TestContext, client: KubeClient, name: string): Promise<void> {
  const manifests = await manifestsOf(name)
  const discovery = new Discovery(client)
  await applyManifests(client, manifests, patience())
  afterwards(t, async () => {
    for (const { apiVersion, kind, metadata } of manifests.toReversed()) {
      if (kind === 'Namespace') continue
      const [version = '', group = ''] = apiVersion.split('/').toReversed()
      const { name = '', namespace } = metadata
      await client.ensureDeleted(await discovery.kind({ group, version, kind }), { name, namespace })
    }
  })
}

/** Controllers and agents run as containers that are not restarted. */
async function runAsContainers(client: KubeClient): Promise<void> {
  for (const [namespace, part] of [
    [OPERATOR_NAMESPACE, 'controller'],
    [ADDON_NAMESPACE, 'agent'],
  ] as const) {
    for (const name of ADD_ONS) {
      const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name}-${part}` })
      const containers = items.flatMap(({ status }) => status?.containerStatuses ?? [])
      assert.deepEqual(
        containers.map(({ image, ready, restartCount }) => ({ image, ready, restartCount })),
        [{ image: `${registry}/${name}:latest`, ready: true, restartCount: 0 }],
      )
      assert.match(containers[0]?.containerID ?? '', /^\w+:\/\/\w+$/)
    }
  }
}

/** The life of the examples, from their installation to their deletion. */
async function runExamples(t: TestContext, client: KubeClient): Promise<void> {
  const fleet: ExampleFleet = { hub: client, managed: client, cluster: CLUSTER }
  for (const namespace of [OPERATOR_NAMESPACE, ADDON_NAMESPACE]) await restrict(t, client, namespace)
  for (const name of ADD_ONS) await install(t, client, name)
  const states = await whenAddOnsAvailable(client, ADD_ONS, [CLUSTER], AbortSignal.timeout(120_000))
  assert.deepEqual(
    states.map(({ addOn, available, message }) => [addOn, available, message]),
    ADD_ONS.map((name) => [name, 'True', undefined]),
  )
  await runAsContainers(client)
  await copiesConfigMaps(fleet)
  await reportsInFiveWays(fleet)
  await leavesNothing(fleet)
}

const title = 'examples: helloworld and basic-addon run as containers of the cluster of the kubeconfig'

/** It makes the cluster a hub, and the cluster must reach this machine: it only runs on request. */
if (host === undefined) {
  test(title, { skip: 'ORRERY_TEST_HOST says where the API server reaches this machine' })
} else if (registry === undefined) {
  test(title, { skip: 'ORRERY_TEST_EXAMPLE_IMAGES says where the images of the examples are: see docs/addons.md' })
} else {
  test(title, async (t) => {
    const client = await clientFrom(kubeconfigSource({ path: KUBECONFIG }))
    afterwards(t, () => client.close())
    const parts = await startFleet(t, client)
    await runExamples(t, client).catch((error: Error) => {
      throw new Error(`${error.message}\n${parts.map((part) => part.text()).join('\n---\n')}`, { cause: error })
    })
  })
}
