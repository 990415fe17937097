import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualDataCenter, VirtualMachineRequest } from '@orrery/ovim'
import { OvimFixture, type Person } from './ovim-fixture.js'

async function acme(t: Parameters<typeof OvimFixture.start>[0]) {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const { admin, user } = await ovim.organization('acme')
  await ovim.template()
  return { ovim, agent, admin, user }
}

test('user API: from nothing to a running machine and back, following each operation', async (t) => {
  const { ovim, agent, admin, user } = await acme(t)
  const vdc = await admin.rest.send('POST', '/api/v1/vdcs', {
    name: 'dev',
    org_id: 'acme',
    zone_id: 'east',
    cpu_quota: 8,
    memory_quota: 16,
    min_cpu: 100,
  })
  assert.equal(vdc.status, 202)
  assert.equal(vdc.body.memory_quota, '16Gi')
  assert.equal(vdc.headers.location, `/api/v1/operations/${vdc.body.operation_id}`)
  const follow = async (location: string) => (await user.rest.ok('GET', location)).status
  assert.ok(['accepted', 'pending'].includes(await follow(vdc.headers.location as string)))
  const made = await agent.complete('VDCCreate')
  assert.deepEqual(made.payload.quota, { cpu: '8', memory: '16Gi' })
  assert.deepEqual(made.payload.limit_range, { min_cpu: '100m' })
  await ovim.eventually(
    'the operation is completed',
    async () => (await follow(vdc.headers.location as string)) === 'completed',
  )
  await ovim.when(VirtualDataCenter, { namespace: 'org-acme', name: 'dev' }, ({ status }) => status?.phase === 'Active')

  const vm = await user.rest.send('POST', '/api/v1/vms', {
    name: 'web',
    vdc_id: 'acme.dev',
    template_id: 'public.small',
    cpu: 2,
    memory: 4,
  })
  assert.equal(vm.status, 202)
  assert.deepEqual([vm.body.id, vm.body.status, vm.body.memory], ['acme.web', 'pending', '4Gi'])
  const creation = await agent.complete('VMCreate')
  assert.deepEqual([creation.payload.cpu, creation.payload.memory], ['2', '4Gi'])
  await ovim.eventually(
    'VMCreate is completed',
    async () => (await follow(vm.headers.location as string)) === 'completed',
  )
  await agent.reportMachines({ namespace: 'vdc-acme-dev', name: 'web', status: 'running', ip_address: '10.1.2.3' })
  const running = await user.rest.ok('GET', `/api/v1/vms/${vm.body.uid}`)
  assert.deepEqual([running.status, running.ip_address, running.zone_id], ['running', '10.1.2.3', 'east'])
  const { zone_id, console } = await user.rest.ok('GET', '/api/v1/vms/acme.web/console')
  assert.deepEqual(
    [zone_id, console.path, console.command],
    [
      'east',
      '/apis/subresources.kubevirt.io/v1/namespaces/vdc-acme-dev/virtualmachineinstances/web/console',
      'virtctl console web --namespace vdc-acme-dev',
    ],
  )

  for (const [action, type] of [
    ['stop', 'VMStop'],
    ['start', 'VMStart'],
    ['pause', 'VMPause'],
    ['unpause', 'VMUnpause'],
    ['restart', 'VMRestart'],
  ] as const) {
    const reply = await user.rest.send('PUT', '/api/v1/vms/acme.web/power', { action })
    assert.equal(reply.status, 202, action)
    await agent.complete(type)
    await ovim.eventually(
      `${type} is completed`,
      async () => (await follow(reply.headers.location as string)) === 'completed',
    )
    await agent.reportMachines({
      namespace: 'vdc-acme-dev',
      name: 'web',
      status: action === 'stop' ? 'stopped' : action === 'pause' ? 'paused' : 'running',
    })
    const console = await user.rest.send('GET', '/api/v1/vms/acme.web/console')
    assert.equal(console.status, action === 'stop' ? 409 : 200, console.text)
  }
  assert.equal(await user.rest.status('PUT', '/api/v1/vms/acme.web/power', { action: 'start' }), 200)
  const { operations } = await user.rest.ok('GET', '/api/v1/operations')
  assert.equal(operations.length, 7)
  assert.match(operations[0].requested_by, /^system:serviceaccount:people:acme-/)

  const removal = await user.rest.send('DELETE', '/api/v1/vms/acme.web')
  assert.deepEqual([removal.status, removal.body.status], [202, 'deleting'])
  await agent.complete('VMDelete')
  await ovim.whenGone(VirtualMachineRequest, { namespace: 'org-acme', name: 'web' })
  assert.equal(await user.rest.status('GET', '/api/v1/vms/acme.web'), 404)
  assert.equal(await admin.rest.status('DELETE', '/api/v1/vdcs/acme.dev'), 202)
  await agent.complete('VDCDelete')
  await ovim.eventually(
    'the data center is gone',
    async () => (await admin.rest.status('GET', '/api/v1/vdcs/acme.dev')) === 404,
  )
})

test('user API: every invalid field is named, and nothing is created', async (t) => {
  const { ovim, agent, admin, user } = await acme(t)
  await ovim.vdc('acme', 'dev', agent, { quota: { cpu: '2' } })
  const vm = { name: 'web', vdc_id: 'acme.dev', template: 'small' }
  for (const [body, status, field] of [
    [{ ...vm, name: undefined }, 400, 'name'],
    [{ ...vm, name: 'Web!' }, 422, 'name'],
    [{ ...vm, template: undefined }, 400, 'template_id'],
    [{ ...vm, template: 'nothing' }, 422, 'template'],
    [{ ...vm, template: undefined, template_id: 'rival.small' }, 422, 'template_id'],
    [{ ...vm, vdc_id: 'acme.nothing' }, 422, 'vdc_id'],
    [{ ...vm, cpu: 0 }, 422, 'cpu'],
    [{ ...vm, cpu: 1.5 }, 400, 'cpu'],
    [{ ...vm, cpu: 64 }, 422, 'vdc_id'],
    [{ ...vm, memory: 'much' }, 400, 'memory'],
    [{ ...vm, memory: '0' }, 422, 'memory'],
    [{ ...vm, disk_size: -1 }, 400, 'disk_size'],
    [{ ...vm, power_state: 'On' }, 400, 'power_state'],
    [{ ...vm, network_name: 'other/net' }, 422, 'network_name'],
    [{ ...vm, labels: { a: 1 } }, 400, 'labels[a]'],
    [{ ...vm, labels: { a: 'not a label!' } }, 422, 'labels[a]'],
    [{ ...vm, labels: { 'ovim.io/organization': 'rival' } }, 422, 'labels'],
    [{ ...vm, annotations: { 'kubevirt.io/x': 'y' } }, 422, 'annotations'],
    [{ ...vm, ssh_keys: ['no key'] }, 422, 'ssh_keys[0]'],
    [{ ...vm, colour: 'red' }, 400, 'colour'],
    ['{"name": ', 400, undefined],
    ['[]', 400, ''],
  ] as const) {
    const reply = await user.rest.send('POST', '/api/v1/vms', body)
    const what = JSON.stringify([body, reply.body])
    assert.equal(reply.status, status, what)
    assert.equal(reply.headers['content-type'], 'application/problem+json')
    assert.deepEqual([reply.body.status, reply.body.instance, reply.body.type], [status, '/api/v1/vms', 'about:blank'])
    if (field !== undefined) assert.equal(reply.body.errors?.[0]?.field, field, what)
  }
  const vdc = { name: 'x', org_id: 'acme', zone_id: 'east' }
  for (const [body, status, field] of [
    [{ ...vdc, zone_id: undefined }, 422, 'zone_id'],
    [{ ...vdc, name: 'a'.repeat(31) }, 422, 'name'],
    [{ ...vdc, cpu_quota: '0' }, 422, 'cpu_quota'],
    [{ ...vdc, vms_quota: 0 }, 422, 'vms_quota'],
    [{ ...vdc, network_policy: 'open' }, 400, 'network_policy'],
    [{ ...vdc, network_policy: 'custom' }, 422, 'custom_network_config'],
    [{ ...vdc, min_cpu: 200, max_cpu: 100 }, 422, 'min_cpu'],
    [{ ...vdc, placement: { name: 'p' } }, 422, 'zone_id'],
  ] as const) {
    const reply = await admin.rest.send('POST', '/api/v1/vdcs', body)
    const what = JSON.stringify([body, reply.body])
    assert.equal(reply.status, status, what)
    assert.equal(reply.body.errors?.[0]?.field, field, what)
  }
  const power = await user.rest.send('PUT', '/api/v1/vms/acme.nothing/power', { action: 'explode' })
  assert.equal(power.status, 400)
  assert.equal((await ovim.client.list(VirtualMachineRequest)).items.length, 0)
  assert.equal((await ovim.client.list(VirtualDataCenter)).items.length, 1)
  assert.equal(await user.rest.status('GET', '/api/v1/nothing'), 404)
  assert.equal(await user.rest.status('PUT', '/api/v1/vms'), 405)
  const form = await user.rest.send('POST', '/api/v1/vms', 'a=b', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(form.status, 415)
})

test('user API: system admins manage organizations, whose members are users, groups and service accounts', async (t) => {
  const { ovim, admin, user } = await acme(t)
  const root = await ovim.person('root')
  await ovim.makeSystemAdmin(root)
  const guest = await ovim.person('guest')
  const subject = { kind: 'ServiceAccount', namespace: 'people', name: 'guest' }
  const body = {
    name: 'lab',
    display_name: 'Lab',
    admins: ['alice', subject],
    users: [{ kind: 'Group', name: 'students' }],
  }
  const created = await root.rest.send('POST', '/api/v1/organizations', body)
  assert.deepEqual([created.status, created.headers.location], [201, '/api/v1/organizations/lab'])
  await ovim.eventually('the guest is a member', async () => {
    ovim.clock.advance(3_000)
    return (await guest.rest.status('GET', '/api/v1/organizations/lab')) === 200
  })
  const { users } = await guest.rest.ok('GET', '/api/v1/organizations/lab/users')
  assert.deepEqual(
    users.map(({ role, kind, name }: Record<string, string>) => [role, kind, name]),
    [
      ['org_admin', 'User', 'alice'],
      ['org_admin', 'ServiceAccount', 'guest'],
      ['org_user', 'Group', 'students'],
    ],
  )
  assert.equal((await guest.rest.ok('GET', '/api/v1/auth/info')).role, 'org_admin')
  assert.equal((await root.rest.ok('GET', '/api/v1/auth/info')).role, 'system_admin')
  assert.equal(await admin.rest.status('PUT', '/api/v1/organizations/acme', { display_name: 'x' }), 403)
  for (const [bad, status] of [
    [{ name: 'a'.repeat(29) }, 422],
    [{ name: 'public' }, 422],
    [{ name: 'x', admins: [{ kind: 'ServiceAccount', name: 'y' }] }, 422],
    [{ name: 'x', users: [{ kind: 'Group', name: 'system:masters' }] }, 422],
    [{ name: 'x', users: 'bob' }, 422],
    [{ name: 'x', users: [{ kind: 'Robot', name: 'y' }] }, 422],
  ] as const) {
    assert.equal(await root.rest.status('POST', '/api/v1/organizations', bad), status, JSON.stringify(bad))
  }
  await zoneQuotas(ovim, root, admin)
  await catalogs(root, admin, user)
  assert.equal(await root.rest.status('DELETE', '/api/v1/organizations/lab'), 202)
  await ovim.eventually(
    'the organization is gone',
    async () => (await root.rest.status('GET', '/api/v1/organizations/lab')) === 404,
  )
})

/** What an organization may have in a zone: asked before a data center is created, and by the controller. */
async function zoneQuotas(ovim: OvimFixture, root: Person, admin: Person): Promise<void> {
  const path = '/api/v1/organizations/acme/zones/east/quota'
  assert.equal(await admin.rest.status('PUT', path, { cpu_quota: 64 }), 403)
  assert.equal(await admin.rest.status('GET', path), 404)
  const quota = await root.rest.ok('PUT', path, { cpu_quota: 8, memory_quota: 16 })
  assert.deepEqual([quota.zone_id, quota.cpu_quota, quota.memory_quota], ['east', '8', '16Gi'])
  await ovim.eventually('the quota is known', async () => (await admin.rest.status('GET', path)) === 200)
  const vdc = { org_id: 'acme', zone_id: 'east', cpu_quota: 6, memory_quota: 8 }
  const refused = async (body: object) => {
    const { status, body: problem } = await admin.rest.send('POST', '/api/v1/vdcs', body)
    return [status, problem.errors?.[0]?.field, problem.errors?.[0]?.detail]
  }
  const { memory_quota: _, ...unlimited } = vdc
  assert.deepEqual(await refused({ ...unlimited, name: 'a' }), [
    422,
    'memory_quota',
    'required: organization acme in zone east has a quota of 16Gi',
  ])
  assert.equal(await admin.rest.status('POST', '/api/v1/vdcs', { ...vdc, name: 'a' }), 202)
  const ref = (name: string) => ({ namespace: 'org-acme', name })
  await ovim.when(VirtualDataCenter, ref('a'), ({ status }) => status?.zone === 'east')
  const exceeded = 'quota of organization acme in zone east exceeded: 6 requested, 6 of 8 in use'
  assert.deepEqual(await refused({ ...vdc, name: 'b' }), [422, 'cpu_quota', exceeded])
  // kubectl has no such answer: the controller reports it, and continues when there is room.
  await ovim.client.create(VirtualDataCenter, {
    metadata: ref('b'),
    spec: { zoneId: 'east', quota: { cpu: '6', memory: '8Gi' } },
  })
  const waiting = await ovim.when(VirtualDataCenter, ref('b'), ({ status }) => status?.message !== undefined)
  assert.equal(waiting.status?.message, `spec.quota.cpu: ${exceeded}`)
  await root.rest.ok('PUT', path, { cpu_quota: 12 })
  await ovim.when(VirtualDataCenter, ref('b'), ({ status }) => status?.zone === 'east')
  const { zones } = await admin.rest.ok('GET', '/api/v1/organizations/acme/zones')
  assert.equal(zones[0].used.cpu, 12)
  assert.equal(await root.rest.status('DELETE', path), 204)
}

async function catalogs(root: Person, admin: Person, user: Person): Promise<void> {
  const template = { org_id: 'acme', name: 'own', os_type: 'linux', image: { container_disk: 'example.com/a' } }
  assert.equal(await user.rest.status('POST', '/api/v1/catalog/templates', template), 403)
  assert.equal(await admin.rest.status('POST', '/api/v1/catalog/templates', template), 201)
  const path = '/api/v1/catalog/templates/acme.own'
  const changes = { cpu: 4, disk_size: 10, image: { http: 'https://example.com/disk.img' } }
  assert.equal(await user.rest.status('PUT', path, changes), 403)
  const changed = await admin.rest.ok('PUT', path, changes)
  assert.deepEqual(
    [changed.cpu, changed.memory, changed.disk_size, changed.image],
    [4, '1Gi', '10Gi', { http: 'https://example.com/disk.img' }],
  )
  const broken = await admin.rest.send('PUT', path, { cpu: 0 })
  assert.deepEqual([broken.status, broken.body.errors?.[0]?.field], [422, 'cpu'])
  assert.equal(await admin.rest.status('PUT', '/api/v1/catalog/templates/public.small', { cpu: 4 }), 403)
  const source = { org_id: 'public', name: 'base', templates: ['small'] }
  assert.equal(await admin.rest.status('POST', '/api/v1/catalog/sources', source), 403)
  assert.equal(await root.rest.status('POST', '/api/v1/catalog/sources', source), 201)
  const disabled = await root.rest.ok('PUT', '/api/v1/catalog/sources/public.base', { is_enabled: false })
  assert.deepEqual([disabled.is_enabled, disabled.templates], [false, ['small']])
  assert.equal(await user.rest.status('GET', '/api/v1/catalog/sources/public.base'), 200)
  assert.equal(await root.rest.status('DELETE', '/api/v1/catalog/sources/public.base'), 204)
  assert.equal(await admin.rest.status('DELETE', path), 204)
}

test('user API: serves health without credentials, and metrics to those who may read them', async (t) => {
  const ovim = await OvimFixture.start(t)
  await ovim.connectedAgent('east')
  const nobody = ovim.rest()
  for (const path of ['/health', '/health/live', '/health/ready', '/health/status', '/livez', '/readyz', '/version']) {
    assert.equal(await nobody.status('GET', path), 200, path)
  }
  assert.equal((await nobody.ok('GET', '/health')).status, 'healthy')
  assert.equal(await nobody.status('GET', '/metrics'), 401)
  assert.equal(await nobody.status('GET', '/api/v1/vms'), 401)
  assert.match(ovim.hub.metrics.render(), /ovim_hub_zones\{connected="true"\} 1/)
})
