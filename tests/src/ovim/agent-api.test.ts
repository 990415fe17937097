import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  type Kind,
  Secret,
  ServiceAccount,
  type TokenRequest,
} from '@orrery/kinds'
import { ConfigError, loadAgentConfig, PERMISSIONS, preflight } from '@orrery/ovim/agent'
import { AgentWorld, WORKLOAD } from './agent-world.js'
import { RestClient } from './rest.js'

/** A token of the cluster for a user with some rules. */
async function tokenOf(world: AgentWorld, name: string, rules: ClusterRole['rules']): Promise<string> {
  const metadata = { namespace: 'default', name }
  await world.client.create(ServiceAccount, { metadata })
  await world.client.create(ClusterRole, { metadata: { name }, rules: rules ?? [] })
  await world.client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
  })
  const Tokens = ServiceAccount as unknown as Kind<TokenRequest>
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} }
  const { status } = await world.client.create(Tokens, request as never, { subresource: 'token' })
  return status?.token ?? ''
}

function apiOf(port: number, token?: string): RestClient {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new RestClient(`https://127.0.0.1:${port}`, { ca: '', rejectUnauthorized: false } as never, headers)
}

test('local API: /health/live, /health/ready, /health/status and /health answer everybody', async (t) => {
  const world = await AgentWorld.start(t)
  await world.ovim.stop()
  const { agent, hub } = await world.startAgent({ OVIM_HEALTH_CHECK_INTERVAL: '5s' })
  hub.intercept = () => ({ status: 503, body: { error: 'away' } })
  const api = apiOf(agent.apiPort)
  t.after(() => api.close())
  assert.equal(await api.status('GET', '/health/live'), 200)
  const unready = await api.send('GET', '/health/ready')
  assert.equal(unready.status, 503)
  assert.match(unready.body.problems[0], /not registered with the hub/)
  await world.ovim.restart()
  hub.intercept = () => undefined
  await world.eventually('the agent is ready', async () => (await api.status('GET', '/health/ready')) === 200, 200)
  const status = await api.ok('GET', '/health/status')
  assert.equal(status.state, 'Healthy')
  assert.ok(status.checks.some(({ component }: { component: string }) => component === 'operation-processor'))
  assert.equal((await api.ok('GET', '/health')).agent_id, 'agent-1')
})

test('local API: /metrics, /status and /debug need a token with permission', async (t) => {
  const world = await AgentWorld.start(t)
  const { agent } = await world.withVdc()
  const allowed = await tokenOf(world, 'operator', [
    { nonResourceURLs: ['/metrics', '/status', '/debug/*'], verbs: ['get', 'post'] },
  ])
  const denied = await tokenOf(world, 'nobody', [])
  const paths = [
    '/metrics',
    '/status',
    '/debug/config',
    '/debug/operations',
    '/debug/templates',
    '/debug/audit',
    '/debug/hub',
  ]
  const [anonymous, stranger, operator] = [
    apiOf(agent.apiPort),
    apiOf(agent.apiPort, denied),
    apiOf(agent.apiPort, allowed),
  ]
  t.after(() => {
    for (const api of [anonymous, stranger, operator]) api.close()
  })
  for (const path of paths) {
    assert.equal(await anonymous.status('GET', path), 401, path)
    assert.equal(await stranger.status('GET', path), 403, path)
    assert.equal(await operator.status('GET', path), 200, path)
  }
  assert.equal((await operator.ok('GET', '/debug/config')).hub.token, '[redacted]')
  const { entries } = await operator.ok('GET', '/debug/audit')
  assert.ok(
    entries.some(({ action, outcome }: Record<string, string>) => action === 'VDCCreate' && outcome === 'completed'),
  )
  const { text } = await operator.send('GET', '/metrics')
  for (const line of [
    'ovim_agent_state{state="Healthy"} 1',
    'ovim_hub_connected 1',
    'ovim_vdcs{phase="Active"} 1',
    'ovim_vms{status="running"} 0',
    'ovim_operations_total{type="VDCCreate",result="completed"} 1',
    'ovim_operations_success_ratio 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line}\n${text.slice(0, 3_000)}`)
  }
  for (const path of ['/debug/register', '/debug/cache/clear', '/debug/config/reset']) {
    assert.equal(await stranger.status('POST', path), 403, path)
    assert.equal(await operator.status('POST', path), 200, path)
  }
})

test('spoke agent: TemplateSync keeps templates on the cluster, checks them, and forgets old ones', async (t) => {
  const world = await AgentWorld.start(t)
  await world.withVdc()
  const image = { container_disk: 'example.com/disk:1' }
  const templates = [
    { name: 'tiny', image, cpu: 1, memory: '512Mi', cloud_init: { user_data: '#cloud-config\npassword: secret' } },
    { name: 'arm', image, requirements: { architecture: 's390x' } },
    { name: 'fast', image, requirements: { storage_class: 'nvme' } },
  ]
  const synced = await world.run('TemplateSync', { templates })
  assert.equal(synced.phase, 'Completed', synced.error)
  const result = synced.result as { synced_templates: number; incompatible: Record<string, string> }
  assert.equal(result.synced_templates, 3)
  assert.match(result.incompatible.arm ?? '', /no node has the labels kubernetes.io\/arch=s390x/)
  assert.match(result.incompatible.fast ?? '', /the cluster has no StorageClass "nvme"/)
  const stored = () => world.client.list(Secret, { namespace: 'ovim-system', labelSelector: 'ovim.io/record=template' })
  assert.equal((await stored()).items.length, 3)
  const vm = (name: string, template_name: string) =>
    world.run('VMCreate', { namespace: WORKLOAD, name, template_name })
  assert.equal((await vm('a', 'tiny')).phase, 'Completed')
  assert.ok(await world.client.find(Secret, { namespace: WORKLOAD, name: 'a-cloud-init' }))
  assert.match(
    (await vm('b', 'fast')).error ?? '',
    /template "fast" cannot run on this cluster: the cluster has no Storage/,
  )
  // Without a list, the agent asks the hub, which has one template.
  assert.equal((await world.run('TemplateSync', {})).phase, 'Completed')
  assert.equal((await stored()).items.length, 1)
  assert.equal((await vm('c', 'small')).phase, 'Completed')
})

test('spoke agent: ConfigUpdate changes the running agent, survives it, and names what it cannot change', async (t) => {
  const world = await AgentWorld.start(t)
  const { hub, kill } = await world.withVdc()
  const done = await world.run('ConfigUpdate', {
    metrics: { reporting_interval: '5s' },
    features: { vdc_management: false },
  })
  assert.equal(done.phase, 'Completed', done.error)
  const refused = await world.run('VDCCreate', { vdc_name: 'x', organization: 'acme' })
  assert.match(refused.error ?? '', /switched off: set OVIM_FEATURE_VDC_MANAGEMENT to true/)
  const wrong = await world.run('ConfigUpdate', { hub: { endpoint: 'https://x' }, logging: { level: 'loud' } })
  assert.match(wrong.error ?? '', /hub.endpoint: needs a restart/)
  const reports = () => hub.requests.filter(({ path }) => path.endsWith('/spoke/status')).length
  const before = reports()
  const start = world.clock.elapsed()
  await world.eventually('four reports', () => reports() >= before + 4, 100)
  assert.ok(world.clock.elapsed() - start < 40_000)
  kill()
  await world.startAgent()
  const still = await world.run('VDCCreate', { vdc_name: 'x', organization: 'acme' })
  assert.match(still.error ?? '', /switched off/)
  assert.ok(await world.client.find(ConfigMap, { namespace: 'ovim-system', name: 'ovim-agent-config' }))
})

test('preflight: names every missing permission, and is satisfied by the documented ones', async (t) => {
  const world = await AgentWorld.start(t)
  const config = loadAgentConfig({ environment: world.environment() })
  const { signal } = new AbortController()
  const identity = (username: string) => ({ username, uid: '', groups: ['system:authenticated'], extra: {} })
  const stranger = world.spoke.client({ identity: identity('stranger') })
  await assert.rejects(preflight(stranger, config, signal), (error: ConfigError) => {
    assert.equal(error.problems.length, PERMISSIONS.length)
    assert.ok(
      error.problems.some((problem) => problem.includes('update of virtualmachines/start.subresources.kubevirt.io')),
    )
    return error instanceof ConfigError
  })
  await world.client.create(ClusterRole, {
    metadata: { name: 'ovim-spoke-agent' },
    rules: PERMISSIONS.map(({ group, resource, subresource, verbs }) => ({
      apiGroups: [group],
      resources: [[resource, subresource].filter(Boolean).join('/')],
      verbs: [...verbs],
    })),
  })
  await world.client.create(ClusterRoleBinding, {
    metadata: { name: 'ovim-spoke-agent' },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'ovim-spoke-agent' },
    subjects: [{ apiGroup: ClusterRole.group, kind: 'User', name: 'agent' }],
  })
  await preflight(world.spoke.client({ identity: identity('agent') }), config, signal)
})
