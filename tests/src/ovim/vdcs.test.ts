import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLACEMENT_LABEL, Placement, PlacementDecision } from '@orrery/api'
import { Event, Namespace, RoleBinding } from '@orrery/kinds'
import { Operation, Organization, VirtualDataCenter, VirtualMachineRequest, Zone } from '@orrery/ovim'
import { OvimFixture } from './ovim-fixture.js'

const VDC = { namespace: 'org-acme', name: 'dev' }
const VM = { namespace: 'org-acme', name: 'web' }
const phase = (wanted: string) => (vdc: VirtualDataCenter) => vdc.status?.phase === wanted

async function acme(t: Parameters<typeof OvimFixture.start>[0]) {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await ovim.organization('acme')
  await ovim.template()
  return { ovim, agent }
}

/** Decisions of a placement, as the hub writes them. */
async function decide(
  ovim: OvimFixture,
  namespace: string,
  name: string,
  decisions: { clusterName: string; score?: number }[],
) {
  await ovim.client.create(Placement, { metadata: { namespace, name }, spec: {} })
  const metadata = { namespace, name: `${name}-decision-1`, labels: { [PLACEMENT_LABEL]: name } }
  await ovim.client.create(PlacementDecision, { metadata })
  const status = { decisions: decisions.map((one) => ({ reason: '', ...one })) }
  await ovim.client.patch(PlacementDecision, metadata, { status }, { subresource: 'status' })
}

test('virtual data centers: change by an operation, and report failures until they succeed', async (t) => {
  const { ovim, agent } = await acme(t)
  await ovim.client.create(VirtualDataCenter, { metadata: VDC, spec: { zoneId: 'east', quota: { cpu: 4 } } })
  await agent.fail('VDCCreate', 'namespaces is forbidden')
  const failed = await ovim.when(VirtualDataCenter, VDC, phase('Failed'))
  assert.equal(failed.status?.message, 'VDCCreate failed: namespaces is forbidden')
  assert.equal(failed.status?.operation?.failures, 1)
  ovim.clock.advance(16_000)
  const second = await agent.next('VDCCreate')
  // The message of the public implementation says the same as a result.
  const message = { name: 'dev', namespace: 'org-acme', phase: 'Active', operation_id: second.id }
  assert.equal(await agent.rest.status('POST', '/api/v1/spoke/vdc/status', message), 200)
  await ovim.when(VirtualDataCenter, VDC, phase('Active'))
  await ovim.client.patch(VirtualDataCenter, VDC, { spec: { quota: { cpu: 8 } } })
  const update = await agent.complete('VDCUpdate')
  assert.deepEqual(update.payload.quota, { cpu: '8' })
  await agent.report({
    vdcs: [
      {
        name: 'dev',
        namespace: 'vdc-acme-dev',
        status: 'Active',
        created_at: '',
        updated_at: '',
        resource_usage: {
          ...agent.statusReport().metrics.resources,
          cpu_used: 1_500,
          memory_used: 1024,
          vm_count: 2,
          pod_count: 3,
        },
      },
    ].map(({ created_at: _, updated_at: __, ...vdc }) => vdc) as never,
  })
  const used = await ovim.when(VirtualDataCenter, VDC, ({ status }) => status?.totalVMs === 2)
  assert.deepEqual([used.status?.resourceUsage?.cpu, used.status?.totalPods], ['1500m', 3])
  assert.deepEqual(await agent.poll(), [])
})

test('virtual data centers: are deleted after their machines, and organizations after both', async (t) => {
  const { ovim, agent } = await acme(t)
  await ovim.vdc('acme', 'dev', agent)
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  await agent.complete('VMCreate')
  await ovim.when(VirtualMachineRequest, VM, ({ status }) => status?.created === true)
  await ovim.client.delete(Organization, { name: 'acme' })
  const kept = await ovim.when(Organization, { name: 'acme' }, ({ status }) => status?.phase === 'Terminating')
  const [condition] = kept.status?.conditions ?? []
  assert.equal(condition?.message, 'has 1 virtual data centers and 1 virtual machines: delete them first')
  await ovim.client.delete(VirtualDataCenter, VDC)
  const waiting = await ovim.when(VirtualDataCenter, VDC, phase('DeletionPending'))
  assert.equal(waiting.status?.message, 'contains 1 virtual machine: delete it first')
  await ovim.client.delete(VirtualMachineRequest, VM)
  await agent.complete('VMDelete')
  await agent.fail('VDCDelete', 'the namespace is stuck')
  const failed = await ovim.when(VirtualDataCenter, VDC, phase('DeletionFailed'))
  assert.equal(failed.status?.message, 'VDCDelete failed: the namespace is stuck')
  ovim.clock.advance(20_000)
  const last = await agent.next('VDCDelete')
  const gone = { name: 'dev', namespace: 'org-acme', operation_id: last.id, status: 'deleted', cleanup_completed: true }
  assert.equal(await agent.rest.status('POST', '/api/v1/spoke/vdc/deletion', gone), 200)
  await ovim.whenGone(VirtualDataCenter, VDC)
  await ovim.whenGone(Organization, { name: 'acme' })
  await ovim.whenGone(Namespace, { name: 'org-acme' })
  const ofOrganizations = { namespace: 'ovim-system', labelSelector: 'ovim.io/organization' }
  assert.equal((await ovim.client.list(RoleBinding, ofOrganizations)).items.length, 0)
})

test('virtual data centers: a namespace that is being deleted still deletes its machines on the cluster', async (t) => {
  const { ovim, agent } = await acme(t)
  await ovim.vdc('acme', 'dev', agent)
  await ovim.client.create(VirtualMachineRequest, { metadata: VM, spec: { vdc: 'dev', template: 'small' } })
  await agent.complete('VMCreate')
  await ovim.when(VirtualMachineRequest, VM, ({ status }) => status?.created === true)
  await ovim.client.delete(Namespace, { name: 'org-acme' })
  await agent.complete('VMDelete')
  await agent.complete('VDCDelete')
  await ovim.whenGone(VirtualDataCenter, VDC)
})

test('virtual data centers: those of a zone that does not exist any more can be deleted, with a warning', async (t) => {
  const { ovim, agent } = await acme(t)
  await ovim.vdc('acme', 'dev', agent)
  await ovim.client.delete(VirtualDataCenter, VDC)
  await ovim.client.delete(Zone, { name: 'east' })
  const operations = async () => (await ovim.client.list(Operation, { namespace: 'org-acme' })).items
  await ovim.eventually('VDCDelete is queued or not needed', async () => (await operations()).length >= 1)
  ovim.clock.advance(90_000_000)
  await ovim.whenGone(VirtualDataCenter, VDC)
  await ovim.eventually('a warning is recorded', async () =>
    (await ovim.client.list(Event, { namespace: 'org-acme' })).items.some(({ reason }) => reason === 'ZoneGone'),
  )
})

test('placement: the cluster with the best score that is connected and has room is chosen', async (t) => {
  const { ovim, agent } = await acme(t)
  const best = await ovim.connectedAgent('best')
  const small = await ovim.connectedAgent('small-cluster')
  const resources = { ...small.statusReport().metrics.resources, cpu_capacity: 1_000 }
  await small.report({ metrics: { ...small.statusReport().metrics, resources } })
  await decide(ovim, 'org-acme', 'p', [
    { clusterName: 'east', score: 10 },
    { clusterName: 'best', score: 50 },
    { clusterName: 'small-cluster', score: 90 },
    { clusterName: 'not-connected', score: 100 },
  ])
  await ovim.client.create(VirtualDataCenter, {
    metadata: VDC,
    spec: { placementRef: { name: 'p' }, quota: { cpu: 8 } },
  })
  await best.complete('VDCCreate')
  const placed = await ovim.when(VirtualDataCenter, VDC, phase('Active'))
  assert.equal(placed.status?.zone, 'best')
  await ovim.client.create(VirtualMachineRequest, {
    metadata: VM,
    spec: { placementRef: { name: 'p' }, template: 'small' },
  })
  await best.complete('VMCreate')
  const vm = await ovim.when(VirtualMachineRequest, VM, ({ status }) => status?.created === true)
  assert.deepEqual([vm.status?.zone, vm.status?.vdc], ['best', 'dev'])
  assert.deepEqual(await agent.poll(), [])
})

test('placement: a placement of another organization cannot be used', async (t) => {
  const { ovim } = await acme(t)
  await ovim.organization('rival')
  await decide(ovim, 'org-rival', 'p', [{ clusterName: 'east' }])
  const placementRef = { name: 'p', namespace: 'org-rival' }
  await ovim.client.create(VirtualDataCenter, { metadata: VDC, spec: { placementRef } })
  const refused = await ovim.when(VirtualDataCenter, VDC, ({ status }) => status?.message !== undefined)
  assert.equal(refused.status?.message, 'placement "org-rival/p" cannot be used: use one in org-acme or ovim-system')
})

test('virtual data centers: wait for their zone, and name it', async (t) => {
  const { ovim } = await acme(t)
  await ovim.client.create(VirtualDataCenter, { metadata: VDC, spec: { zoneId: 'west' } })
  const waiting = await ovim.when(VirtualDataCenter, VDC, ({ status }) => status?.message !== undefined)
  assert.equal(waiting.status?.message, 'zone "west" does not exist: see "kubectl get zones"')
  const west = await ovim.connectedAgent('west')
  await west.complete('VDCCreate')
  await ovim.when(VirtualDataCenter, VDC, phase('Active'))
})

test('organizations: do not take a namespace that exists already', async (t) => {
  const ovim = await OvimFixture.start(t)
  await ovim.client.create(Namespace, { metadata: { name: 'org-taken' } })
  await ovim.client.create(Organization, { metadata: { name: 'taken' }, spec: { admins: [{ name: 'mallory' }] } })
  const failed = await ovim.when(Organization, { name: 'taken' }, ({ status }) => status?.phase === 'Failed')
  assert.match(
    failed.status?.conditions?.[0]?.message ?? '',
    /^namespace org-taken exists and is not of this organization/,
  )
  assert.equal((await ovim.client.list(RoleBinding, { namespace: 'org-taken' })).items.length, 0)
})
