import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { after, before, describe, type TestContext, test } from 'node:test'
import { HUB_WEBHOOKS, ManagedCluster, WEBHOOK_SECRET } from '@orrery/api'
import {
  ClusterRole,
  ClusterRoleBinding,
  MutatingWebhookConfiguration,
  Secret,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from '@orrery/kinds'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { orrery, orreryAtOnce } from '../support/cli-here.js'
import { type Foreground, running } from '../support/fleet.js'
import { freePort } from '../support/free-port.js'
import { afterwards, type ServerProcess, startServer } from '../support/server.js'

interface Given {
  readonly server: ServerProcess
  readonly client: KubeClient
}

/** A cluster that `orrery init` has made a hub. */
async function initialized(t: Pick<TestContext, 'after'>): Promise<Given> {
  const server = await startServer(t)
  const { code, errors, out } = await orrery('init', '--kubeconfig', server.kubeconfig)
  assert.equal(code, 0, errors)
  assert.match(out, /orrery hub --kubeconfig \S+ --webhook-url https:\/\/<host>:9443/)
  const client = await clientFrom(server.kubeconfig)
  afterwards(t, () => client.close())
  return { server, client }
}

/** Runs a command on it until the test ends. */
function runOn(t: TestContext, { server }: Given, ...args: readonly string[]): Foreground {
  const command = running(...args, '--kubeconfig', server.kubeconfig)
  afterwards(t, async () => {
    command.process.kill('SIGTERM')
    await command.ended
  })
  return command
}

async function stop({ process, ended }: Foreground): Promise<void> {
  process.kill('SIGTERM')
  assert.equal(await ended, 0)
}

async function get(url: string, token?: string): Promise<{ status: number; text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const request = httpsRequest(url, { rejectUnauthorized: false, agent: false, headers })
  request.end()
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, text }
}

test('orrery hub: serves webhooks, probes and metrics for an existing cluster', async (t) => {
  const given = await initialized(t)
  const { client } = given
  const port = await freePort()
  const where = ['--webhook-url', `https://localhost:${port}`]
  const hub = runOn(t, given, 'hub', ...where, '--health-address', '127.0.0.1:0')
  await hub.says(new RegExp(`^The API server calls the webhooks at https://localhost:${port}$`, 'm'))
  const kubernetes = { metadata: { name: 'kube-edge' } }
  await assert.rejects(client.create(ManagedCluster, kubernetes), /denied the request: .*belongs to the hub/)
  const { metadata } = await client.get(Secret, WEBHOOK_SECRET)
  assert.deepEqual([...new Set(metadata.managedFields?.map(({ manager }) => manager))], ['orrery-hub'])

  const [, url = ''] = /^Probes and metrics are at (\S+)$/m.exec(hub.text()) ?? []
  for (const path of ['/livez', '/readyz', '/healthz']) {
    assert.deepEqual(await get(`${url}${path}`), { status: 200, text: 'ok' }, path)
  }
  const tokens = { reader: await tokenOf(client, 'reader'), stranger: await tokenOf(client, 'stranger') }
  await mayReadMetrics(client, 'reader')
  for (const place of [url, `https://localhost:${port}`]) {
    assert.equal((await get(`${place}/metrics`)).status, 401)
    assert.equal((await get(`${place}/metrics`, 'nonsense')).status, 401)
    assert.equal((await get(`${place}/metrics`, tokens.stranger)).status, 403)
    const { status, text } = await get(`${place}/metrics`, tokens.reader)
    assert.equal(status, 200, text)
    for (const name of ['controller_runtime_reconcile_total', 'process_cpu_seconds_total', 'orrery_hub_managed']) {
      assert.ok(text.includes(name), name)
    }
  }
  assert.doesNotMatch(hub.text(), new RegExp(tokens.reader))

  const replica = runOn(t, given, 'hub', ...where, '--webhook-port', '0')
  await replica.says(/serving certificate loaded/)
  await stop(replica)
  await stop(hub)
  const refused = await orrery('accept', '--clusters', 'kube-edge', '--kubeconfig', given.server.kubeconfig)
  assert.equal(refused.code, 1)
  const { code, errors } = await orrery('init', '--kubeconfig', given.server.kubeconfig)
  assert.equal(code, 0, errors)
  await assert.rejects(client.create(ManagedCluster, { metadata: { name: 'edge' } }), /failed calling webhook/)

  const silent = runOn(t, given, 'hub')
  await silent.says(/This hub serves no webhooks, .* Set --webhook-url .* or set --no-webhooks/)
  await assert.rejects(client.create(ManagedCluster, { metadata: { name: 'edge' } }), /failed calling webhook/)

  const without = runOn(t, given, 'hub', '--no-webhooks')
  await without.says(/no webhooks: every user who can write a ManagedCluster can accept it/)
  await eventually('the configurations are gone', async () => (await configurations(client)).length === 0)
  await client.create(ManagedCluster, { metadata: { name: 'edge' } })
})

describe('orrery hub, agent: on one existing cluster', () => {
  let given: Given
  const cleanUp: (() => unknown)[] = []
  before(async () => {
    given = await initialized({ after: (step) => void cleanUp.push(step as () => unknown) })
  })
  after(async () => {
    for (const step of cleanUp) await step()
  })

  test('orrery hub: reports unreachable webhooks and does not install them', async (t) => {
    const [away, port] = [await freePort(), await freePort()]
    const hub = runOn(t, given, 'hub', '--webhook-url', `https://localhost:${away}`, '--webhook-port', String(port))
    await hub.says(
      new RegExp(`The API server cannot reach the webhooks at https://localhost:${away}: .*\\n.*--webhook-url`),
    )
    assert.deepEqual(await configurations(given.client), [])
    await given.client.create(ManagedCluster, { metadata: { name: 'edge' } })
  })

  test('orrery hub: rejects invalid options for an existing cluster', async () => {
    const { server } = given
    const on = ['--kubeconfig', server.kubeconfig]
    const cases: [args: string[], code: number, errors: RegExp][] = [
      [[...on, '--webhook-url', 'http://hub:9443'], 2, /Use https:\/\/host:port/],
      [[...on, '--webhook-url', 'https://hub:9443/path'], 2, /without a path/],
      [[...on, '--webhook-url', 'https://me:pw@hub:9443'], 2, /Remove the user information/],
      [[...on, '--in-cluster'], 2, /'--in-cluster' cannot be used with option '--kubeconfig <file>'/],
      [[...on, '--no-webhooks', '--health-address', 'here'], 2, /Use host:port or :port/],
      [
        [...on, '--webhook-url', 'https://hub:9443', '--webhook-cert-dir', '/nowhere'],
        1,
        /\/nowhere\/tls.crt cannot be read/,
      ],
      [
        [...on, '--webhook-url', 'https://hub:9443', '--webhook-port', new URL(server.url).port],
        1,
        /in use .*--webhook-port/,
      ],
      [[...on, '--no-webhooks', '--health-address', new URL(server.url).host], 1, /in use .*--health-address/],
      [[...on, '--no-webhooks', '--port', '1'], 2, /'--port' cannot be used with --kubeconfig/],
      [['--data', server.dataDirectory, '--no-webhooks'], 2, /'--no-webhooks' requires an existing cluster/],
      [['--in-cluster'], 1, /no service account found: --in-cluster requires a pod/],
    ]
    for (const [args, code, errors] of cases) {
      const result = await (code === 2 ? orreryAtOnce : orrery)('hub', ...args)
      assert.equal(result.code, code, result.errors)
      assert.match(result.errors, errors)
    }
  })

  test('orrery agent: serves probes and metrics on an existing cluster', async (t) => {
    const agent = runOn(t, given, 'agent', '--cluster-name', 'edge', '--health-address', '127.0.0.1:0')
    await agent.says(/^Probes and metrics are at \S+$/m)
    const [, url = ''] = /^Probes and metrics are at (\S+)$/m.exec(agent.text()) ?? []
    assert.deepEqual(await get(`${url}/readyz`), { status: 200, text: 'ok' })
    const { text } = await eventually('the agent is unhealthy', async () => {
      const reply = await get(`${url}/healthz`)
      return reply.status === 503 ? reply : undefined
    })
    assert.match(text, /no hub can be joined with the bootstrap kubeconfig in Secret/)
    assert.equal((await get(`${url}/metrics`)).status, 401)
    const reader = await tokenOf(given.client, 'reader')
    await mayReadMetrics(given.client, 'reader')
    const metrics = await get(`${url}/metrics`, reader)
    assert.match(metrics.text, /orrery_agent_joined 0\n/)
    assert.match(metrics.text, /controller_runtime_reconcile_total\{controller="membership",result="success"\} [1-9]/)
    await stop(agent)
  })
})

async function configurations(client: KubeClient): Promise<string[]> {
  const lists = [await client.list(MutatingWebhookConfiguration), await client.list(ValidatingWebhookConfiguration)]
  const names = new Set(HUB_WEBHOOKS.map(({ name }) => name))
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).filter((name) => names.has(name))
}

/** A token of the service account with that name. */
async function tokenOf(client: KubeClient, name: string): Promise<string> {
  await client.create(ServiceAccount, { metadata: { namespace: 'default', name } })
  const annotations = { 'kubernetes.io/service-account.name': name }
  const ref = { namespace: 'default', name: `${name}-token` }
  await client.create(Secret, { metadata: { ...ref, annotations }, type: 'kubernetes.io/service-account-token' })
  const token = await eventually('the Secret has a token', async () => (await client.get(Secret, ref)).data?.token)
  return Buffer.from(token, 'base64').toString('utf8')
}

async function mayReadMetrics(client: KubeClient, account: string): Promise<void> {
  const metadata = { name: 'metrics-reader' }
  await client.create(ClusterRole, { metadata, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] })
  await client.create(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: account }],
  })
}
