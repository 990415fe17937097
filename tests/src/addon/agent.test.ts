import assert from 'node:assert/strict'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type AddonAgentContext, type AddonAgentOptions, periodically, runAddonAgent } from '@orrery/addon/agent'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { startTestServer } from '@orrery/apiserver/testing'
import { ConfigMap, Deployment, type Kind, Lease, Namespace, ServiceAccount, type TokenRequest } from '@orrery/kinds'
import { each, type KubeClient } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { freePort } from '../support/free-port.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

const leaseRef = { namespace: 'default', name: 'helloworld' }
const FLAGS = ['--cluster-name=c1', '--addon-namespace=default']

interface RunningAgent {
  readonly agent: AddonAgentContext
  stop(): Promise<void>
}

/** Runs an agent until `stop` or the end of the test. */
async function start(t: TestContext, options: Partial<AddonAgentOptions>): Promise<RunningAgent> {
  const stopping = new AbortController()
  let agent: AddonAgentContext | undefined
  const ended = runAddonAgent({
    name: 'helloworld',
    args: ['--hub-kubeconfig=unused', ...FLAGS],
    controllers: () => [],
    log: silentLogger,
    signal: stopping.signal,
    onStart(started) {
      agent = started
    },
    ...options,
  })
  const stop = () => {
    stopping.abort()
    return ended
  }
  afterwards(t, () => stop().catch(() => undefined))
  await Promise.race([eventually('the agent starts', () => agent), ended])
  assert.ok(agent !== undefined)
  return { agent, stop }
}

async function managedCluster(t: TestContext, options: { clock?: FakeClock } = {}): Promise<KubeClient> {
  const { client, close } = await startTestServer(options)
  afterwards(t, close)
  return client
}

const renewal = async (client: KubeClient) => (await client.find(Lease, leaseRef))?.spec?.renewTime

test('runAddonAgent: renews the lease of the add-on every 60 to 75 seconds while it is healthy', async (t) => {
  const clock = new FakeClock()
  const client = await managedCluster(t, { clock })
  let isHealthy = true
  let checks = 0
  const healthChecks = [() => ++checks > 0 && isHealthy]
  const { stop } = await start(t, { clients: { hub: client, managed: client }, clock, healthChecks })
  const first = await eventually('the lease exists', () => client.find(Lease, leaseRef))
  assert.equal(first.spec?.leaseDurationSeconds, 60)
  assert.equal(first.spec?.holderIdentity, undefined)
  await eventually('the lease is renewed', async () => (await renewal(client)) !== first.spec?.renewTime, {
    meanwhile: () => clock.advance(1_000),
  })
  assert.ok(clock.elapsed() >= 60_000)
  isHealthy = false
  const [last, before] = [await renewal(client), checks]
  await eventually('two renewals are due', () => checks >= before + 2, { meanwhile: () => clock.advance(1_000) })
  assert.equal(await renewal(client), last)
  await stop()
})

test('runAddonAgent: the lease is deleted with the Deployment of the agent', async (t) => {
  const client = await managedCluster(t)
  const labels = { app: 'agent' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'example.com/agent' }] } }
  const metadata = { namespace: 'default', name: 'helloworld-agent' }
  await client.create(Deployment, { metadata, spec: { selector: { matchLabels: labels }, template } })
  const { stop } = await start(t, { clients: { hub: client, managed: client }, deployment: 'helloworld-agent' })
  await eventually('the lease exists', () => client.find(Lease, leaseRef))
  await stop()
  await client.delete(Deployment, metadata)
  await eventually('the lease is gone', async () => (await client.find(Lease, leaseRef)) === undefined)
})

test('runAddonAgent: runs controllers over both clusters, and again after a failure', async (t) => {
  const [hub, managed] = [await managedCluster(t), await managedCluster(t)]
  await hub.create(Namespace, { metadata: { name: 'c1' } })
  let runs = 0
  await start(t, {
    clients: { hub, managed },
    args: ['--hub-kubeconfig=unused', ...FLAGS, '--prefix=copied'],
    flags: { prefix: 'none' },
    controllers: ({ hubInformers, clusterName, flags }) => {
      const configMaps = hubInformers.of(ConfigMap, { namespace: clusterName })
      return [
        {
          name: 'copy',
          wakes: [each(configMaps)],
          async reconcile({ name }, { client }) {
            if (name !== 'settings') return
            await client.apply(ConfigMap, { metadata: { namespace: 'default', name: `${flags.more.prefix}-${name}` } })
          },
        },
        periodically({
          name: 'counter',
          seconds: 0.001,
          async run() {
            runs++
            if (runs === 1) throw new Error('try again')
          },
        }),
      ]
    },
  })
  await hub.create(ConfigMap, { metadata: { namespace: 'c1', name: 'settings' } })
  await eventually('it is copied', () => managed.find(ConfigMap, { namespace: 'default', name: 'copied-settings' }))
  await eventually('the counter runs on', () => runs > 3)
})

test('runAddonAgent: in hosted mode the lease is on the hosting cluster, and depends on the managed cluster', async (t) => {
  const clock = new FakeClock()
  const [hub, managed] = [await managedCluster(t), await managedCluster(t)]
  const local = await managedCluster(t, { clock })
  await start(t, { clients: { hub, managed, local }, clock })
  await eventually('the lease exists', () => local.find(Lease, leaseRef))
  assert.equal(await managed.find(Lease, leaseRef), undefined)
})

test('runAddonAgent: serves probes, and /healthz fails after a watched file has changed', async (t) => {
  const client = await managedCluster(t)
  const file = join(await temporaryDirectory(t), 'tls-profile')
  await writeFile(file, 'old')
  const port = await freePort()
  await start(t, {
    clients: { hub: client, managed: client },
    probes: { host: '127.0.0.1', port },
    watchedFiles: [file],
  })
  assert.deepEqual(await Promise.all([statusOf(port, '/readyz'), statusOf(port, '/healthz')]), [200, 200])
  await writeFile(file, 'new')
  assert.deepEqual(await Promise.all([statusOf(port, '/livez'), statusOf(port, '/healthz')]), [200, 503])
})

function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })
}

const Tokens: Kind<TokenRequest> = {
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
}

async function tokenOf(client: KubeClient, name: string): Promise<string> {
  const metadata = { namespace: 'default', name }
  await client.create(ServiceAccount, { metadata })
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} }
  return (await client.create(Tokens, request as never, { subresource: 'token' })).status?.token ?? ''
}

/** Replaces the files of a Secret volume at once, as the kubelet does. */
async function mount(directory: string, version: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(directory, version))
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, version, name), text)
  await symlink(version, join(directory, '..new'))
  await rename(join(directory, '..new'), join(directory, '..data'))
}

function kubeconfigOf({ url, certificateAuthority }: ApiServer): string {
  const authority = Buffer.from(certificateAuthority).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hub', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'default-auth', user: { tokenFile: 'token' } }],
    contexts: [
      { name: 'default-context', context: { cluster: 'hub', user: 'default-auth', namespace: 'configuration' } },
    ],
    'current-context': 'default-context',
  })
}

test('runAddonAgent: follows the rotation of the mounted token of its hub kubeconfig', async (t) => {
  const server = await startApiServer({ host: '127.0.0.1', port: 0 })
  afterwards(t, () => server.close())
  const admin = server.client()
  const directory = await temporaryDirectory(t)
  const kubeconfig = kubeconfigOf(server)
  await mount(directory, 'v1', { kubeconfig, token: await tokenOf(admin, 'first') })
  await symlink('..data/kubeconfig', join(directory, 'kubeconfig'))
  await symlink('..data/token', join(directory, 'token'))
  const { agent } = await start(t, {
    clients: { managed: await managedCluster(t) },
    args: [`--hub-kubeconfig=${join(directory, 'kubeconfig')}`, ...FLAGS],
  })
  const user = async () => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const response = await agent.hub.raw({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { status } = JSON.parse((await response.bytes()).toString()) as { status: { userInfo: { username: string } } }
    return status.userInfo.username
  }
  assert.equal(await user(), 'system:serviceaccount:default:first')
  await mount(directory, 'v2', { kubeconfig, token: await tokenOf(admin, 'second') })
  await eventually('the new token is used', async () => (await user()) === 'system:serviceaccount:default:second')
})

test('runAddonAgent: rejects a kubeconfig that does not exist, and flags that are missing', async () => {
  const run = (...args: string[]) => runAddonAgent({ name: 'a', args, controllers: () => [], log: silentLogger })
  await assert.rejects(
    run('--hub-kubeconfig=/nowhere/kubeconfig', ...FLAGS),
    /\/nowhere\/kubeconfig: the file does not exist/,
  )
  await assert.rejects(run(...FLAGS), { name: 'UsageError', message: /^--hub-kubeconfig is required/ })
})
