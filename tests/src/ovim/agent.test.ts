import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Event, LimitRange, Namespace, NetworkPolicy, ResourceQuota, Role, RoleBinding } from '@orrery/kinds'
import { VirtualMachine } from '@orrery/node/kubevirt'
import { type StatusReport, VirtualDataCenter, VirtualMachineRequest, Zone } from '@orrery/ovim'
import { AgentWorld, ORG, WORKLOAD, ZONE } from './agent-world.js'

const VDC = { namespace: ORG, name: 'dev' }

test('spoke agent: registers with its first report, and then reports every 30 s', async (t) => {
  const world = await AgentWorld.start(t)
  const { agent, hub } = await world.startAgent()
  const states = [agent.state]
  agent.onState((state) => states.push(state))
  await world.eventually('the agent is Healthy', () => agent.state === 'Healthy')
  const zone = await world.whenOnHub(Zone, { name: ZONE }, ({ status }) => status?.agent?.status === 'healthy')
  assert.equal(zone.status?.agent?.id, 'agent-1')
  assert.deepEqual(new Set(states), new Set(['Connecting', 'Healthy']))
  const reports = () => hub.requests.filter(({ path }) => path === '/api/v1/spoke/status').length
  const before = reports()
  const start = world.clock.elapsed()
  await world.eventually('two more reports', () => reports() >= before + 2, 200)
  const seconds = (world.clock.elapsed() - start) / 1_000
  assert.ok(seconds > 30 && seconds < 70, `two heartbeats took ${seconds} s`)
})

test('spoke agent: a user requests a machine at the hub, and the agent creates it and reports the result', async (t) => {
  const world = await AgentWorld.start(t)
  const { hub } = await world.withVdc()
  const user = await world.ovim.person('acme-user')
  const accepted = await user.rest.send('POST', '/api/v1/vms', {
    name: 'web',
    vdc_id: 'acme.dev',
    template: 'small',
  })
  assert.equal(accepted.status, 202, accepted.text)
  await world.machineIs('web', 'Running')
  const request = await world.requestIs('web', 'running')
  assert.equal(request.status?.operation?.phase, 'Completed')
  assert.match(request.status?.ipAddress ?? '', /^\d+\.\d+\.\d+\.\d+$/)
  assert.ok(request.status?.nodeName)
  const results = hub.requests.filter(({ path }) => path.endsWith('/result'))
  assert.ok(results.length >= 2)
  await world.eventually('the event', async () => {
    const { items } = await world.client.list(Event, { namespace: WORKLOAD })
    return items.some(({ reason, regarding }) => reason === 'VMCreateCompleted' && regarding?.name === 'web')
  })
})

test('spoke agent: reports the machines, data centers, metrics and health of its cluster', async (t) => {
  const world = await AgentWorld.start(t)
  const { hub } = await world.withVdc()
  await world.request('web')
  await world.requestIs('web', 'running')
  const latest = () => {
    const bodies = hub.requests.filter(({ path }) => path === '/api/v1/spoke/status').map(({ body }) => String(body))
    return JSON.parse(bodies.at(-1) ?? '{}') as StatusReport
  }
  await world.eventually('a report with a measured machine', () => latest().metrics.resources.vm_count === 1, 200)
  const report = latest()
  assert.equal(report.state, 'Healthy')
  assert.deepEqual(
    report.vms.map(({ name, status, phase }) => [name, status, phase]),
    [['web', 'running', 'Running']],
  )
  assert.deepEqual(
    report.vdcs.map(({ name, namespace, status }) => [name, namespace, status]),
    [['dev', WORKLOAD, 'Active']],
  )
  assert.equal(report.vdcs[0]?.resource_usage.cpu_capacity, 8_000)
  assert.equal(report.metrics.node_status.length, 1)
  assert.ok(report.metrics.resources.cpu_capacity > 0)
  const checks = report.health?.checks.map(({ component }) => component) ?? []
  for (const name of [
    'outbox',
    'vm-manager',
    'vdc-manager',
    'template-manager',
    'metrics-collector',
    'kubernetes-api',
  ]) {
    assert.ok(checks.includes(name), name)
  }
  const zone = await world.whenOnHub(Zone, { name: ZONE }, ({ status }) => status?.vmCount === 1)
  assert.equal(zone.status?.vdcCount, 1)
})

test('spoke agent: a machine stops, starts, restarts, pauses, continues, changes and goes', async (t) => {
  const world = await AgentWorld.start(t)
  await world.withVdc()
  const patch = (spec: object) =>
    world.ovim.client.patch(VirtualMachineRequest, { namespace: ORG, name: 'web' }, { spec })
  await world.request('web', { sshKeys: ['ssh-ed25519 AAAA me'] })
  await world.requestIs('web', 'running')
  await patch({ powerState: 'Stopped' })
  await world.machineIs('web', 'Stopped')
  await world.requestIs('web', 'stopped')
  await patch({ powerState: 'Running' })
  await world.requestIs('web', 'running')
  const before = (await world.instance('web'))?.metadata.uid
  await patch({ restartedAt: '2026-01-01T00:00:00Z' })
  await world.eventually('another instance', async () => {
    const instance = await world.instance('web')
    return instance !== undefined && instance.metadata.uid !== before && instance.status?.phase === 'Running'
  })
  await world.requestIs('web', 'running')
  await patch({ powerState: 'Paused' })
  await world.machineIs('web', 'Paused')
  await world.requestIs('web', 'paused')
  await patch({ powerState: 'Running' })
  await world.requestIs('web', 'running')
  await patch({ cpu: 2, memory: '2Gi', labels: { tier: 'gold' } })
  const changed = await world.when(world.client, VirtualMachine, { namespace: WORKLOAD, name: 'web' }, ({ spec }) => {
    return spec.template.spec.domain.memory?.guest === '2Gi'
  })
  assert.equal(changed.metadata.labels?.tier, 'gold')
  assert.equal(changed.metadata.labels?.['app.kubernetes.io/managed-by'], 'ovim')
  await world.ovim.client.delete(VirtualMachineRequest, { namespace: ORG, name: 'web' })
  await world.eventually('the machine is gone', async () => {
    return (await world.client.find(VirtualMachine, { namespace: WORKLOAD, name: 'web' })) === undefined
  })
  await world.eventually('the request is gone', async () => {
    return (await world.ovim.client.find(VirtualMachineRequest, { namespace: ORG, name: 'web' })) === undefined
  })
})

test('spoke agent: a data center is a namespace with quota, limits, network policy and permissions of its own', async (t) => {
  const world = await AgentWorld.start(t)
  await world.withVdc()
  const namespace = await world.client.get(Namespace, { name: WORKLOAD })
  assert.deepEqual(
    ['ovim.io/vdc', 'ovim.io/organization', 'ovim.io/namespace-type', 'ovim.io/managed-by', 'ovim.io/zone-id'].map(
      (label) => namespace.metadata.labels?.[label],
    ),
    ['dev', 'acme', 'workload', 'spoke-agent', ZONE],
  )
  const ref = (name: string) => ({ namespace: WORKLOAD, name })
  const quota = await world.client.get(ResourceQuota, ref('vdc-quota'))
  assert.equal(quota.spec?.hard?.['requests.cpu'], '8')
  assert.equal(quota.spec?.hard?.['requests.memory'], '16Gi')
  const policy = await world.client.get(NetworkPolicy, ref('vdc-isolation-policy'))
  assert.deepEqual(policy.spec?.policyTypes, ['Ingress', 'Egress'])
  assert.deepEqual(policy.spec?.ingress?.[0]?.from?.[1]?.namespaceSelector?.matchExpressions?.[0], {
    key: 'kubernetes.io/metadata.name',
    operator: 'In',
    values: ['kube-system', 'ovim-system'],
  })
  assert.equal((await world.client.get(RoleBinding, ref('vdc-operator'))).roleRef.name, 'vdc-operator')
  assert.ok((await world.client.get(Role, ref('vdc-operator'))).rules)

  const patch = (spec: object) => world.ovim.client.patch(VirtualDataCenter, VDC, { spec })
  await patch({
    quota: { cpu: '16' },
    limitRange: { minCpu: '100m', maxCpu: '4' },
    networkPolicy: 'custom',
    customNetworkConfig: { policyType: 'allow-all', denyAllEgress: true },
  })
  const custom = await world.when(world.client, NetworkPolicy, ref('vdc-custom-policy'), () => true)
  assert.deepEqual([custom.spec?.ingress, custom.spec?.egress ?? []], [[{}], []])
  await world.eventually('the other policy is gone', async () => {
    return (await world.client.find(NetworkPolicy, ref('vdc-isolation-policy'))) === undefined
  })
  const limits = await world.client.get(LimitRange, ref('vdc-limits'))
  assert.equal(limits.spec?.limits?.[0]?.max?.cpu, '4')
  assert.equal((await world.client.get(ResourceQuota, ref('vdc-quota'))).spec?.hard?.['requests.cpu'], '16')

  await world.ovim.client.delete(VirtualDataCenter, VDC)
  await world.eventually('the namespaces are gone', async () => {
    const names = (await world.client.list(Namespace)).items.map(({ metadata }) => metadata.name)
    return !names.includes(WORKLOAD) && !names.includes(ORG)
  })
  await world.eventually('the data center is gone', async () => {
    return (await world.ovim.client.find(VirtualDataCenter, VDC)) === undefined
  })
})
