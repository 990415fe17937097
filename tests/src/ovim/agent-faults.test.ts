import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap, Namespace, Secret } from '@orrery/kinds'
import { VirtualMachine } from '@orrery/node/kubevirt'
import { AgentWorld, type Intercept, WORKLOAD } from './agent-world.js'

const TARGET = { namespace: WORKLOAD, name: 'web' }

/** A machine without a request at the hub, so that only the test's operations change it. */
async function withMachine(world: AgentWorld) {
  const running = await world.withVdc()
  const { phase, error } = await world.run('VMCreate', { ...TARGET, template_name: 'small' })
  assert.equal(phase, 'Completed', error)
  await world.machineIs('web', 'Running')
  return running
}

/** Replies with failures to the first calls of a subresource. */
function failing(action: string, replies: { status: number; message: string; details?: object }[]): Intercept {
  return ({ method, path }) => {
    if (method !== 'PUT' || !path.endsWith(`/${action}`)) return undefined
    const reply = replies.shift()
    if (reply === undefined) return undefined
    const { status, ...rest } = reply
    return { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, ...rest } }
  }
}

test('spoke agent: hub away for an hour, results wait on the cluster and arrive when it is back', async (t) => {
  const world = await AgentWorld.start(t)
  const { agent, hub } = await withMachine(world)
  const states: string[] = []
  agent.onState((state) => states.push(state))
  // The result of an operation is lost with the hub.
  hub.intercept = ({ path }) => (path.endsWith('/result') ? { status: 503, body: { error: 'away' } } : undefined)
  const name = await world.queue('VMStop', TARGET)
  await world.machineIs('web', 'Stopped')
  await world.ovim.stop()
  hub.intercept = () => ({ status: 503, body: { error: 'away' } })
  await world.eventually('the agent is Disconnected', () => agent.state === 'Disconnected', 200)
  const start = world.clock.elapsed()
  await world.eventually('an hour later', () => world.clock.elapsed() - start > 3_600_000, 10_000)
  const { items } = await world.client.list(ConfigMap, {
    namespace: 'ovim-system',
    labelSelector: 'ovim.io/record=operation,ovim.io/reported=false',
  })
  assert.equal(items.length, 1)
  const attempts = hub.requests.length
  await world.ovim.restart()
  hub.intercept = () => undefined
  await world.eventually('the agent is Healthy', () => agent.state === 'Healthy', 100)
  assert.equal((await world.finished(name)).phase, 'Completed')
  assert.ok(states.includes('Disconnected') && states.includes('Connecting'))
  // Circuit breakers keep the agent from hammering: an hour of retries without them would be thousands.
  assert.ok(attempts < 1_000, `${attempts} requests`)
})

test('spoke agent: killed between executing and reporting, the next one executes nothing again', async (t) => {
  const world = await AgentWorld.start(t)
  const { hub, kill } = await withMachine(world)
  const before = (await world.instance('web'))?.metadata.uid
  hub.intercept = ({ path }) => (path.endsWith('/result') ? { status: 503, body: { error: 'away' } } : undefined)
  const name = await world.queue('VMRestart', TARGET)
  await world.eventually('the restarted machine runs', async () => {
    const instance = await world.instance('web')
    return instance !== undefined && instance.metadata.uid !== before && instance.status?.phase === 'Running'
  })
  const restarted = (await world.instance('web'))?.metadata.uid
  kill()
  await world.startAgent()
  const status = await world.finished(name)
  assert.equal(status.phase, 'Completed')
  assert.equal((await world.instance('web'))?.metadata.uid, restarted)
})

test('spoke agent: killed before it could record a restart, the next one recognises the new instance', async (t) => {
  const world = await AgentWorld.start(t)
  const { spoke, kill } = await withMachine(world)
  const before = (await world.instance('web'))?.metadata.uid
  // The agent dies as it writes down what it has done.
  spoke.intercept = ({ path }) => {
    if (path.includes('/configmaps/ovim-operation-')) kill()
    return undefined
  }
  const name = await world.queue('VMRestart', TARGET, { timeoutSeconds: 60 })
  await world.eventually('the restarted machine runs', async () => {
    const instance = await world.instance('web')
    return instance !== undefined && instance.metadata.uid !== before && instance.status?.phase === 'Running'
  })
  const restarted = (await world.instance('web'))?.metadata.uid
  const { spoke: next } = await world.startAgent()
  await world.finished(name)
  assert.equal((await world.instance('web'))?.metadata.uid, restarted)
  assert.deepEqual(
    next.requests.filter(({ path }) => path.endsWith('/restart')).map(({ path }) => path),
    [],
  )
})

test('spoke agent: KubeVirt answers 503, then 404 for its group, then 500 "already underway", and then starts', async (t) => {
  const world = await AgentWorld.start(t)
  const { spoke } = await withMachine(world)
  await world.run('VMStop', TARGET)
  await world.machineIs('web', 'Stopped')
  spoke.intercept = failing('start', [
    { status: 503, message: 'the server is currently unable to handle the request' },
    { status: 404, message: 'the server could not find the requested resource' },
    { status: 500, message: 'unable to complete request: stop/start already underway' },
  ])
  assert.equal((await world.run('VMStart', TARGET)).phase, 'Completed')
  assert.equal(spoke.requests.filter(({ path }) => path.endsWith('/start')).length, 4)
  await world.machineIs('web', 'Running')
})

test('spoke agent: KubeVirt answers 409 when a machine is already there, and that is a success', async (t) => {
  const world = await AgentWorld.start(t)
  await withMachine(world)
  assert.equal((await world.run('VMStart', TARGET)).phase, 'Completed')
  await world.run('VMStop', TARGET)
  await world.machineIs('web', 'Stopped')
  assert.equal((await world.run('VMStop', TARGET)).phase, 'Completed')
  const again = await world.run('VMCreate', { ...TARGET, template_name: 'small' })
  assert.equal(again.phase, 'Completed')
  const restart = await world.run('VMRestart', TARGET)
  assert.deepEqual(
    [restart.phase, restart.error],
    ['Failed', 'virtual machine "vdc-acme-dev/web" is not running: start it before you restart it'],
  )
})

test('spoke agent: KubeVirt stays down, the operation ends at its deadline with the reason', async (t) => {
  const world = await AgentWorld.start(t)
  const { spoke } = await withMachine(world)
  spoke.intercept = ({ path }) =>
    path.endsWith('/stop')
      ? { status: 503, body: { kind: 'Status', message: 'virt-api is down', code: 503 } }
      : undefined
  const { phase, error } = await world.run('VMStop', TARGET, { timeoutSeconds: 20 })
  assert.equal(phase, 'Failed')
  assert.match(error ?? '', /not finished within 20 s: KubeVirt does not stop the machine yet: virt-api is down/)
})

test('spoke agent: quota exceeded, a template that is gone, and a foreign namespace fail with a clear message', async (t) => {
  const world = await AgentWorld.start(t)
  await world.withVdc({}, { virtualMachines: 1 })
  assert.equal(
    (await world.run('VMCreate', { namespace: WORKLOAD, name: 'a', template_name: 'small' })).phase,
    'Completed',
  )
  const full = await world.run('VMCreate', { namespace: WORKLOAD, name: 'b', template_name: 'small' })
  assert.equal(full.phase, 'Failed')
  assert.match(full.error ?? '', /exceeded quota: vdc-quota/)
  const gone = await world.run('VMCreate', { namespace: WORKLOAD, name: 'c', template_name: 'gone' })
  assert.match(gone.error ?? '', /^template "gone" does not exist: choose another template, or synchronize templates$/)
  const foreign = await world.run('VMCreate', { namespace: 'default', name: 'd', template_name: 'small' })
  assert.match(foreign.error ?? '', /namespace "default" is not a virtual data center of OVIM/)
  const none = await world.run('VMStart', { namespace: 'vdc-acme-none', name: 'd' })
  assert.match(none.error ?? '', /namespace "vdc-acme-none" does not exist: create its virtual data center first/)
  const machines = await world.client.list(VirtualMachine)
  assert.deepEqual(
    machines.items.map(({ metadata }) => metadata.name),
    ['a'],
  )
  const taken = await world.run('VDCCreate', { vdc_name: 'x', organization: 'y', target_namespace: 'default' })
  assert.match(taken.error ?? '', /namespace "default" exists and does not belong to OVIM/)
})

test('spoke agent: a data center with machines is not deleted unless it is forced', async (t) => {
  const world = await AgentWorld.start(t)
  await withMachine(world)
  const vdc = { vdc_name: 'dev', organization: 'acme' }
  const { error } = await world.run('VDCDelete', vdc)
  assert.match(error ?? '', /still has 1 virtual machines \(web\): delete them first/)
  const forced = await world.run('VDCDelete', { ...vdc, force: true })
  assert.equal(forced.phase, 'Completed', forced.error)
  assert.equal((await world.client.list(VirtualMachine)).items.length, 0)
})

test('spoke agent: a component that fails is restarted, and the agent is Unhealthy meanwhile', async (t) => {
  const world = await AgentWorld.start(t)
  const { agent, spoke } = await world.startAgent({ OVIM_HEALTH_CHECK_INTERVAL: '5s' })
  await world.eventually('the agent is Healthy', () => agent.state === 'Healthy')
  spoke.intercept = ({ path }) => (path === '/version' ? { status: 500, body: {} } : undefined)
  await world.eventually('the agent is Unhealthy', () => agent.state === 'Unhealthy', 200)
  spoke.intercept = () => undefined
  await world.eventually('the agent is Healthy again', () => agent.state === 'Healthy', 200)
})

test('spoke agent: without KubeVirt it reports why, and works as soon as KubeVirt is installed', async (t) => {
  const world = await AgentWorld.start(t)
  const running = await world.startAgent({ OVIM_HEALTH_CHECK_INTERVAL: '5s' })
  await world.eventually('the agent is Healthy', () => running.agent.state === 'Healthy')
  running.kill()
  const { agent, hub, spoke } = await world.startAgent(
    { OVIM_HEALTH_CHECK_INTERVAL: '5s' },
    {
      intercept: ({ path }) => (path === '/apis/kubevirt.io/v1' ? { status: 404, body: {} } : undefined),
    },
  )
  await world.eventually('the agent is Unhealthy', () => agent.state === 'Unhealthy', 200)
  await world.eventually(
    'the hub knows why',
    () => {
      const reports = hub.requests.filter(({ path }) => path.endsWith('/status')).map(({ body }) => String(body))
      return reports.some((report) => report.includes('KubeVirt is not installed on this cluster'))
    },
    500,
  )
  spoke.intercept = () => undefined
  await world.eventually('the agent is Healthy again', () => agent.state === 'Healthy', 500)
})

test('spoke agent: removes what interrupted operations have left, and nothing else', async (t) => {
  const world = await AgentWorld.start(t)
  await withMachine(world)
  const labels = (vm: string) => ({ 'app.kubernetes.io/managed-by': 'ovim', 'ovim.io/vm-name': vm })
  for (const vm of ['web', 'never']) {
    await world.client.create(Secret, {
      metadata: { namespace: WORKLOAD, name: `${vm}-cloud-init`, labels: labels(vm) },
    })
  }
  const organization = { 'ovim.io/managed-by': 'spoke-agent', 'ovim.io/namespace-type': 'organization' }
  await world.client.create(Namespace, {
    metadata: { name: 'org-left', labels: { ...organization, 'ovim.io/organization': 'left' } },
  })
  const secrets = async () => {
    const { items } = await world.client.list(Secret, { namespace: WORKLOAD, labelSelector: 'ovim.io/vm-name' })
    return items.map(({ metadata }) => metadata.name)
  }
  await world.eventually(
    'the orphans are gone',
    async () =>
      (await secrets()).length === 1 && (await world.client.find(Namespace, { name: 'org-left' })) === undefined,
    2_000,
  )
  assert.deepEqual(await secrets(), ['web-cloud-init'])
  assert.ok(await world.client.find(Namespace, { name: 'org-acme' }))
})
