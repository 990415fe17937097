import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Event } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import {
  Catalog,
  Operation,
  Organization,
  Template,
  VirtualDataCenter,
  VirtualMachineRequest,
  type VirtualMachineRequest as Vm,
  Zone,
} from '@orrery/ovim'
import { OvimFixture } from './ovim-fixture.js'

/** Two organizations with a machine each, and a stranger. */
async function tenants(t: Parameters<typeof OvimFixture.start>[0], listens = false) {
  const ovim = await OvimFixture.start(t, { listens })
  const agent = await ovim.connectedAgent('east')
  const acme = await ovim.organization('acme')
  const rival = await ovim.organization('rival')
  await ovim.template()
  await ovim.vdc('acme', 'dev', agent)
  const vm = await ovim.client.create(VirtualMachineRequest, {
    metadata: { namespace: 'org-acme', name: 'web' },
    spec: { vdc: 'dev', template: 'small' },
  })
  await agent.complete('VMCreate')
  const created = await ovim.when(VirtualMachineRequest, vm.metadata, ({ status }) => status?.created === true)
  return { ovim, agent, acme, rival, vm: created }
}

const operationId = ({ status }: Vm) => `acme.${status?.operation?.name}`

test('tenancy: nobody of another organization sees or touches anything, by any endpoint', async (t) => {
  const { ovim, acme, rival, vm } = await tenants(t)
  const vdc = await ovim.client.get(VirtualDataCenter, { namespace: 'org-acme', name: 'dev' })
  await ovim.template('own', 'org-acme')
  const operation = await ovim.client.get(Operation, { namespace: 'org-acme', name: vm.status?.operation?.name ?? '' })
  const stranger = await ovim.person('stranger')
  await ovim.eventually('acme has events', async () => (await acme.user.rest.ok('GET', '/api/v1/events')).total > 0)

  const reads = [
    '/vms/acme.web',
    `/vms/${vm.metadata.uid}`,
    '/vms/acme.web/status',
    '/vdcs/acme.dev',
    `/vdcs/${vdc.metadata.uid}`,
    '/vdcs/acme.dev/status',
    '/vdcs/acme.dev/resources',
    '/metrics/vdc/acme.dev/realtime',
    '/catalog/templates/acme.own',
    `/operations/${operationId(vm)}`,
    `/operations/${operation.metadata.uid}`,
    '/organizations/acme',
    '/organizations/acme/status',
    '/organizations/acme/users',
    '/organizations/acme/resources',
    '/organizations/acme/catalog/templates',
    '/metrics/organization/acme/realtime',
    '/vms?organization=acme',
    '/vdcs?organization=acme',
    '/operations?organization=acme',
    '/events?organization=acme',
    '/events/recent?organization=acme',
    '/events/stream?organization=acme',
    '/catalog/templates?organization=acme',
    '/catalog/sources?organization=acme',
  ]
  const writes: [string, string, object?][] = [
    ['POST', '/vms', { name: 'mine', vdc_id: 'acme.dev', template: 'small' }],
    ['PUT', '/vms/acme.web', { cpu: 2 }],
    ['PUT', '/vms/acme.web/power', { action: 'stop' }],
    ['PUT', `/vms/${vm.metadata.uid}/power`, { action: 'stop' }],
    ['DELETE', '/vms/acme.web'],
    ['DELETE', `/vms/${vm.metadata.uid}`],
    ['POST', '/vdcs', { name: 'x', org_id: 'acme', zone_id: 'east' }],
    ['PUT', '/vdcs/acme.dev', { cpu_quota: '1' }],
    ['DELETE', '/vdcs/acme.dev'],
    ['POST', '/catalog/templates', { name: 'x', org_id: 'acme', os_type: 'linux', image: { container_disk: 'a' } }],
    ['DELETE', '/catalog/templates/acme.own'],
    ['POST', '/organizations', { name: 'mine' }],
    ['PUT', '/organizations/acme', { admins: ['me'] }],
    ['DELETE', '/organizations/acme'],
  ]
  for (const person of [rival.admin, rival.user, stranger]) {
    for (const path of reads) {
      const status = await person.rest.status('GET', `/api/v1${path}`)
      assert.ok(status === 403 || status === 404, `${person.name} GET ${path}: ${status}`)
    }
    for (const [method, path, body] of writes) {
      const status = await person.rest.status(method, `/api/v1${path}`, body)
      assert.ok(status === 403 || status === 404, `${person.name} ${method} ${path}: ${status}`)
    }
    for (const path of ['/vms', '/vdcs', '/operations', '/events', '/events/recent', '/profile/vdcs']) {
      assert.equal((await person.rest.ok('GET', `/api/v1${path}`)).total, 0, `${person.name} ${path}`)
    }
    const { organizations } = await person.rest.ok('GET', '/api/v1/organizations')
    assert.deepEqual(
      organizations.map(({ id }: { id: string }) => id),
      person === stranger ? [] : ['rival'],
    )
    const { templates } = await person.rest.ok('GET', '/api/v1/catalog/templates')
    assert.deepEqual(
      templates.map(({ id }: { id: string }) => id),
      person === stranger ? [] : ['public.small'],
    )
    assert.equal((await person.rest.ok('GET', '/api/v1/dashboard/summary')).vm_count, 0)
    assert.equal((await person.rest.ok('GET', '/api/v1/metrics/realtime')).vm_count, 0)
  }
  // What exists and what does not look the same from outside.
  const unknown = await rival.user.rest.send('GET', '/api/v1/vms/acme.nothing')
  assert.equal(unknown.status, await rival.user.rest.status('GET', '/api/v1/vms/acme.web'))
  const after = await ovim.client.get(VirtualMachineRequest, vm.metadata)
  assert.equal(after.metadata.generation, vm.metadata.generation)
  for (const path of reads) {
    if (path.includes('stream')) continue
    assert.equal(await acme.admin.rest.status('GET', `/api/v1${path}`), 200, path)
  }
})

test('tenancy: the stream of events shows only what a member may watch', async (t) => {
  const { ovim, acme, rival, vm } = await tenants(t)
  const seen: Record<string, string[]> = { acme: [], rival: [] }
  for (const [name, { user }] of Object.entries({ acme, rival })) {
    const { status, close } = await user.rest.stream('/api/v1/events/stream', (event, data) => {
      seen[name]?.push(`${event} ${(data as { object: { id: string } }).object.id}`)
    })
    t.after(close)
    assert.equal(status, 200)
  }
  await ovim.client.patch(VirtualMachineRequest, vm.metadata, { spec: { powerState: 'Stopped' } })
  await ovim.eventually('acme sees its machine', () => seen.acme?.includes('vm acme.web'))
  await ovim.client.patch(Organization, { name: 'rival' }, { spec: { displayName: 'Rival' } })
  assert.deepEqual(seen.rival, [])
})

test('tenancy: a plain client with a token of a member has the same permissions', async (t) => {
  const { ovim, acme, rival, vm } = await tenants(t, true)
  const outsider = await ovim.kubectl(rival.user)
  const [user, admin] = [await ovim.kubectl(acme.user), await ovim.kubectl(acme.admin)]
  t.after(() => {
    for (const client of [outsider, user, admin]) client.close()
  })
  const kinds = [VirtualMachineRequest, VirtualDataCenter, Operation, Template, Catalog, Event] as const
  for (const kind of kinds) {
    await assert.rejects(outsider.list(kind as never, { namespace: 'org-acme' }), isForbidden, kind.kind)
    await assert.rejects(outsider.list(kind as never), isForbidden, kind.kind)
    await user.list(kind as never, { namespace: 'org-acme' })
  }
  await assert.rejects(outsider.get(VirtualMachineRequest, vm.metadata), isForbidden)
  await assert.rejects(outsider.patch(VirtualMachineRequest, vm.metadata, { spec: { cpu: 2 } }), isForbidden)
  await assert.rejects(outsider.delete(VirtualMachineRequest, vm.metadata), isForbidden)
  await assert.rejects(outsider.get(Organization, { name: 'acme' }), isForbidden)
  await assert.rejects(outsider.list(Operation, { namespace: 'ovim-system' }), isForbidden)
  await outsider.list(Zone)
  await outsider.list(Template, { namespace: 'ovim-system' })

  const forged = {
    metadata: { namespace: 'org-acme', name: 'forged' },
    spec: {
      type: 'VMDelete' as const,
      zone: 'east',
      target: { kind: 'Zone' as const, name: 'east' },
      payload: { namespace: 'vdc-rival-x', name: 'y' },
    },
  }
  for (const member of [user, admin]) {
    await assert.rejects(member.create(Operation, forged), isForbidden)
    await assert.rejects(
      member.patch(VirtualMachineRequest, vm.metadata, { status: { zone: 'west' } }, { subresource: 'status' }),
      isForbidden,
    )
    await assert.rejects(member.patch(Zone, { name: 'east' }, { spec: { unschedulable: true } }), isForbidden)
    await assert.rejects(member.patch(Organization, { name: 'acme' }, { spec: { admins: [] } }), isForbidden)
  }
  await assert.rejects(user.delete(VirtualDataCenter, { namespace: 'org-acme', name: 'dev' }), isForbidden)
  await assert.rejects(
    user.create(Template, { metadata: { namespace: 'org-acme', name: 'x' }, spec: {} as never }),
    isForbidden,
  )
  await user.patch(VirtualMachineRequest, vm.metadata, { spec: { powerState: 'Stopped' } })
  await admin.patch(VirtualDataCenter, { namespace: 'org-acme', name: 'dev' }, { spec: { displayName: 'Development' } })
})

test('tenancy: a member who is removed loses access, and a disabled organization can only be read by its admins', async (t) => {
  const { ovim, acme } = await tenants(t)
  const settle = async (what: string, holds: () => Promise<boolean>) =>
    ovim.eventually(what, async () => {
      // Answers about permissions are remembered for some seconds.
      ovim.clock.advance(11_000)
      return holds()
    })
  const get = (person: typeof acme.user) => person.rest.status('GET', '/api/v1/vms/acme.web')
  const create = (person: typeof acme.user) =>
    person.rest.status('POST', '/api/v1/vms', { name: 'new', vdc_id: 'acme.dev', template: 'small' })
  await ovim.client.patch(Organization, { name: 'acme' }, { spec: { isEnabled: false } })
  await settle('users have no access', async () => (await get(acme.user)) === 403)
  assert.equal(await get(acme.admin), 200)
  assert.equal(await create(acme.admin), 403)
  assert.equal(await acme.admin.rest.status('PUT', '/api/v1/vms/acme.web/power', { action: 'stop' }), 403)
  assert.equal(await acme.admin.rest.status('DELETE', '/api/v1/vms/acme.web'), 403)
  await ovim.client.patch(Organization, { name: 'acme' }, { spec: { isEnabled: true } })
  await settle('users have access again', async () => (await get(acme.user)) === 200)
  await ovim.client.patch(Organization, { name: 'acme' }, { spec: { users: [] } })
  await settle('the former user has no access', async () => (await get(acme.user)) === 403)
  assert.equal(await get(acme.admin), 200)
})

test('tenancy: two organizations never share a namespace on a cluster', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await ovim.organization('a')
  await ovim.organization('a-b')
  await ovim.vdc('a', 'b-c', agent)
  ovim.clock.advance(1_000)
  const second = { namespace: 'org-a-b', name: 'c' }
  await ovim.client.create(VirtualDataCenter, { metadata: second, spec: { zoneId: 'east' } })
  const refused = await ovim.when(VirtualDataCenter, second, ({ status }) => status?.message !== undefined)
  assert.equal(refused.status?.message, 'namespace vdc-a-b-c on clusters belongs to org-a/b-c: choose another name')
  assert.deepEqual(await agent.poll(), [])
})

test('tenancy: a template of a tenant cannot name a volume or network of another', async (t) => {
  const { ovim, acme, rival, agent } = await tenants(t)
  await ovim.vdc('rival', 'dev', agent)
  const base = { org_id: 'rival', os_type: 'linux', cpu: 1, memory: '1Gi', disk_size: '1Gi' }
  const template = (name: string, more: object) =>
    rival.admin.rest.ok('POST', '/api/v1/catalog/templates', { ...base, name, ...more })
  await template('thief', { image: { pvc: { namespace: 'vdc-acme-dev', name: 'disk' } } })
  await template('tapper', { image: { container_disk: 'd' }, networks: ['vdc-acme-dev/private'] })
  await template('fine', { image: { pvc: { namespace: 'vdc-rival-dev', name: 'disk' } } })
  const create = (name: string) =>
    rival.user.rest.send('POST', '/api/v1/vms', { name, vdc_id: 'rival.dev', template: name })
  for (const name of ['thief', 'tapper']) {
    const { status, body } = await create(name)
    assert.equal(status, 422)
    assert.equal(body.errors[0].field, 'template')
    const metadata = { namespace: 'org-rival', name }
    await ovim.client.create(VirtualMachineRequest, { metadata, spec: { vdc: 'dev', template: name } })
    const refused = await ovim.when(VirtualMachineRequest, metadata, ({ status: is }) => is?.phase === 'error')
    assert.match(refused.status?.message ?? '', new RegExp(`^template "${name}" cannot be used: spec\\.`))
  }
  assert.equal((await create('fine')).status, 202)
  await agent.complete('VMCreate')
  assert.ok(acme)
})
