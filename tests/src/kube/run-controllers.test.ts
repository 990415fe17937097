import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:https'
import { type TestContext, test } from 'node:test'
import { ClusterClaim } from '@orrery/api'
import { startTestServer } from '@orrery/apiserver/testing'
import { ConfigMap, CustomResourceDefinition, Lease, Namespace } from '@orrery/kinds'
import { type ControllerSpec, createLogger, each, ensure, type KubeClient, runControllers } from '@orrery/kube'
import { silentLogger } from '@orrery/kube/log'
import type { ManagerContext, RunControllersOptions, RunningControllers } from '@orrery/kube/manager'
import { eventually } from '@orrery/kube/testing'
import { afterwards } from '../support/server.js'

const ref = { namespace: 'default', name: 'team' }

/** Keeps a ConfigMap in the default namespace. */
function teamInfo({ informers }: ManagerContext): ControllerSpec {
  const configMaps = informers.of(ConfigMap)
  return {
    name: 'team-info',
    wakes: [each(informers.of(Namespace)), each(configMaps, ({ metadata }) => ({ name: metadata.namespace }))],
    async reconcile({ name }, { client, signal }) {
      if (name !== ref.namespace) return
      await ensure(client, ConfigMap, { metadata: ref, data: { team: 'blue' } }, configMaps.get(ref), { signal })
    },
  }
}

async function serverOf(t: TestContext): Promise<KubeClient> {
  const { client, close } = await startTestServer()
  afterwards(t, close)
  return client
}

/** Runs controllers against a server in the process until `stop` or the end of the test. */
async function start(t: TestContext, cluster: KubeClient, options: Partial<RunControllersOptions> = {}) {
  const stopping = new AbortController()
  let running: RunningControllers | undefined
  const ended = runControllers({
    name: 'teams',
    controllers: (context) => [teamInfo(context)],
    cluster,
    log: silentLogger,
    signal: stopping.signal,
    onStart(started) {
      running = started
    },
    ...options,
  })
  const stop = () => {
    stopping.abort()
    return ended
  }
  afterwards(t, () => stop().catch(() => undefined))
  await Promise.race([eventually('the controllers start', () => running), ended])
  assert.ok(running !== undefined)
  return { running, stop }
}

test('runControllers: reaches the desired state, with the name of the controller as field manager', async (t) => {
  const client = await serverOf(t)
  const { running, stop } = await start(t, client)
  const made = await eventually('the ConfigMap is there', () => client.find(ConfigMap, ref))
  assert.deepEqual(
    made.metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`),
    ['team-info Apply'],
  )
  await client.patch(ConfigMap, ref, { data: { team: 'red' } })
  await eventually('it is corrected', async () => (await client.get(ConfigMap, ref)).data?.team === 'blue')
  assert.deepEqual(running.health.problems, [])
  await stop()
  assert.match(running.metrics.render(), /controller_runtime_reconcile_total\{.*controller="team-info"/)
})

test('runControllers: installs kinds and waits until they are served', async (t) => {
  const client = await serverOf(t)
  await start(t, client, { kinds: [ClusterClaim] })
  await client.create(ClusterClaim, { metadata: { name: 'id' }, spec: { value: 'x' } })
  const { metadata } = await client.get(CustomResourceDefinition, { name: ClusterClaim.crd.metadata.name as string })
  assert.deepEqual(
    metadata.managedFields?.filter(({ operation }) => operation === 'Apply').map(({ manager }) => manager),
    ['teams'],
  )
})

test('runControllers: rejects when a kind is not served in time', async (t) => {
  const client = await serverOf(t)
  const { crd } = ClusterClaim
  await client.create(CustomResourceDefinition, crd)
  const names = { ...crd.spec.names, plural: 'others' }
  const sameKind = { ...crd, metadata: { name: `others.${crd.spec.group}` }, spec: { ...crd.spec, names } }
  const options = { kinds: [sameKind], installTimeoutMilliseconds: 50 }
  await assert.rejects(start(t, client, options), /does not serve others\.\S+ .*after 0\.05 s/)
})

test('runControllers: one of two replicas is active, and the other continues when it stops', async (t) => {
  const client = await serverOf(t)
  const election = { namespace: 'default' }
  const first = await start(t, client, { election })
  await first.running.whenRunning()
  const second = await start(t, client, { election })
  assert.equal(second.running.health.controllers[0]?.state, 'standby')
  assert.equal((await client.get(Lease, { namespace: 'default', name: 'teams' })).spec?.leaseTransitions ?? 0, 0)
  await first.stop()
  await second.running.whenRunning()
})

test('runControllers: serves probes, and metrics to those who may read them', async (t) => {
  const client = await serverOf(t)
  const { running } = await start(t, client, { probes: { host: '127.0.0.1', port: 0 } })
  await running.whenRunning()
  const statusOf = async (path: string) => {
    const request = get({ port: running.probePort, path, rejectUnauthorized: false, agent: false })
    const [response] = await once(request, 'response')
    response.resume()
    return response.statusCode
  }
  assert.deepEqual(await Promise.all(['/livez', '/readyz', '/healthz', '/metrics'].map(statusOf)), [200, 200, 200, 401])
})

test('runControllers: logs a failed reconcile with its object', async (t) => {
  const client = await serverOf(t)
  const lines: string[] = []
  const fails = ({ informers }: ManagerContext): ControllerSpec => ({
    name: 'fails',
    wakes: [each(informers.of(Namespace, { fieldSelector: 'metadata.name=default' }))],
    reconcile: () => Promise.reject(new Error('no luck')),
  })
  const log = createLogger({ write: (line) => lines.push(line) })
  await start(t, client, { controllers: (context) => [fails(context)], log })
  const line = await eventually('the failure is logged', () => lines.find((text) => text.includes('no luck')))
  const { level, component, name } = JSON.parse(line) as Record<string, string>
  assert.deepEqual({ level, component, name }, { level: 'warn', component: 'fails', name: 'default' })
})

test('runControllers: rejects without a kubeconfig, and listens to no signal any more', async () => {
  await assert.rejects(
    runControllers({ name: 'teams', controllers: () => [], cluster: '/nowhere/kubeconfig', log: silentLogger }),
    /nowhere/,
  )
  assert.equal(process.listenerCount('SIGTERM'), 0)
})
