import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Operation, Zone } from '@orrery/ovim'
import { OvimFixture } from './ovim-fixture.js'

const STATUS = '/api/v1/spoke/status'
const OPERATIONS = '/api/v1/spoke/operations'

test('spoke API: needs credentials and the headers of agents', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const headers = { 'x-agent-id': 'a', 'x-cluster-id': 'east', 'x-zone-id': 'east' }
  const nobody = ovim.rest(headers)
  assert.equal(await nobody.status('GET', `${OPERATIONS}?agent_id=a`), 401)
  const constant = ovim.rest({ ...headers, authorization: 'Bearer spoke-agent-token' })
  assert.equal(await constant.status('GET', `${OPERATIONS}?agent_id=a`), 401)
  const person = await ovim.person('somebody')
  const bare = await person.rest.send('GET', `${OPERATIONS}?agent_id=a`)
  assert.equal(bare.status, 401)
  assert.match(bare.body.error, /^Missing required headers/)
  const missing = await agent.rest.send('GET', OPERATIONS)
  assert.deepEqual([missing.status, missing.body], [400, { error: 'Missing agent_id parameter' }])
  assert.equal(await agent.rest.status('GET', `${OPERATIONS}?agent_id=${agent.agentId}`), 204)
  assert.equal(await agent.rest.status('GET', agent.pollPath, undefined, { headers: { 'x-zone-id': 'No/Zone' } }), 400)
  assert.equal(await agent.rest.status('DELETE', OPERATIONS), 405)
})

test('spoke API: an agent acts for its own zone only, whatever its headers and bodies say', async (t) => {
  const ovim = await OvimFixture.start(t)
  const [east, west] = [await ovim.connectedAgent('east'), await ovim.connectedAgent('west')]
  const operation = await ovim.client.create(Operation, {
    metadata: { namespace: 'ovim-system', name: 'secret', labels: { 'ovim.io/zone': 'west' } },
    spec: { type: 'ConfigUpdate', zone: 'west', target: { kind: 'Zone', name: 'west' }, payload: {} },
  })
  const as = (headers: Record<string, string>) => ({ headers })
  const path = `${OPERATIONS}?agent_id=${west.agentId}`
  assert.equal(await east.rest.status('GET', path), 403)
  assert.equal(await east.rest.status('GET', path, undefined, as({ 'x-agent-id': west.agentId })), 204)
  assert.equal(
    await east.rest.status('GET', path, undefined, as({ 'x-agent-id': west.agentId, 'x-zone-id': 'west' })),
    403,
  )
  assert.equal(
    await east.rest.status(
      'GET',
      path,
      undefined,
      as({ 'x-agent-id': west.agentId, 'x-zone-id': 'west', 'x-cluster-id': 'west' }),
    ),
    403,
  )
  assert.equal(
    await east.rest.status('GET', `${OPERATIONS}?agent_id=${east.agentId}`, undefined, as({ 'x-cluster-id': 'west' })),
    403,
  )
  for (const body of [
    west.statusReport(),
    { ...east.statusReport(), zone_id: 'west' },
    { ...east.statusReport(), cluster_id: 'west' },
    { ...east.statusReport(), agent_id: 'other' },
  ]) {
    assert.equal(await east.rest.status('POST', STATUS, body), 403)
  }
  assert.equal((await east.result(operation.metadata.uid, 'completed')).status, 403)
  const stolen = { name: 'x', namespace: 'org-x', phase: 'Active', operation_id: operation.metadata.uid }
  assert.equal(await east.rest.status('POST', '/api/v1/spoke/vdc/status', stolen), 403)
  assert.equal(await east.rest.status('POST', '/api/v1/spoke/vdc/deletion', stolen), 403)
  assert.equal((await ovim.client.get(Operation, operation.metadata)).status?.phase, undefined)
  assert.deepEqual(
    (await west.poll()).map(({ id }) => id),
    [operation.metadata.uid],
  )
})

test('spoke API: an agent cannot read or write anything of the hub besides its zone', async (t) => {
  const ovim = await OvimFixture.start(t)
  const east = await ovim.connectedAgent('east')
  for (const path of ['vms', 'vdcs', 'organizations', 'operations', 'events']) {
    const { status, body } = await east.rest.send('GET', `/api/v1/${path}`)
    assert.equal(status, 200)
    assert.equal(body.total, 0, path)
  }
  assert.equal(await east.rest.status('GET', '/api/v1/zones'), 403)
  assert.equal(await east.rest.status('GET', '/api/v1/spoke/admin/agents'), 403)
  const task = { agent_id: 'agent-of-east', type: 'VMDelete' }
  assert.equal(await east.rest.status('POST', '/api/v1/spoke/admin/operations/queue', task), 403)
})

test('spoke API: bad reports and results are refused with the names of the fields', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const send = (body: unknown) => agent.rest.send('POST', STATUS, body)
  for (const [body, problem] of [
    ['{', /not valid JSON/],
    ['[]', /must be a JSON object/],
    [{ ...agent.statusReport(), agent_id: undefined }, /agent_id: Required value/],
    [{ ...agent.statusReport(), status: 'fine' }, /status: Unsupported value: "fine"/],
    [{ ...agent.statusReport(), vms: [{ name: 'a' }] }, /vms\[0\]\.namespace: Required value/],
    [{ ...agent.statusReport(), report_time: 'today' }, /report_time: Invalid value: "today"/],
  ] as const) {
    const { status, body: reply } = await send(body)
    assert.equal(status, 400)
    assert.match(reply.error, problem)
  }
  const result = await agent.result('00000000-0000-0000-0000-000000000000', 'done' as never)
  assert.equal(result.status, 400)
  assert.match(result.body.error, /status: Unsupported value: "done"/)
  assert.equal(await agent.rest.status('GET', `${agent.pollPath}&wait=soon`), 400)
  const large = await agent.rest
    .send('POST', STATUS, undefined, { headers: { 'content-length': '999999999' } })
    .catch(() => undefined)
  assert.ok(large === undefined || large.status === 413)
})

test('zones: an agent that stops to report is stale, and its zone takes nothing new', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const zone = { name: 'east' }
  const before = await ovim.when(Zone, zone, ({ status }) => status?.templatesHash !== undefined)
  for (let minute = 0; minute < 3; minute++) {
    ovim.clock.advance(60_000)
    assert.equal((await agent.report()).status, 200)
  }
  assert.equal((await ovim.client.get(Zone, zone)).metadata.resourceVersion, before.metadata.resourceVersion)
  ovim.clock.advance(61_000)
  await agent.report()
  assert.notEqual((await ovim.client.get(Zone, zone)).metadata.resourceVersion, before.metadata.resourceVersion)
  ovim.clock.advance(301_000)
  const stale = await ovim.when(Zone, zone, ({ status }) => status?.agent?.status === 'stale')
  const schedulable = stale.status?.conditions?.find(({ type }) => type === 'Schedulable')
  assert.deepEqual([schedulable?.status, schedulable?.reason], ['False', 'AgentNotConnected'])
  await agent.report({ status: 'degraded', errors: ['KubeVirt does not answer'] })
  const back = await ovim.when(Zone, zone, ({ status }) => status?.agent?.status === 'degraded')
  assert.deepEqual(back.status?.agent?.errors, ['KubeVirt does not answer'])
  assert.equal(back.status?.conditions?.find(({ type }) => type === 'Schedulable')?.status, 'True')
})

test('spoke admin API: system admins see agents and queue operations for them', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  const admin = await ovim.person('root')
  await ovim.makeSystemAdmin(admin)
  const { agents } = await admin.rest.ok('GET', '/api/v1/spoke/admin/agents')
  assert.deepEqual(
    agents.map(({ agent_id, zone_id, status }: Record<string, string>) => [agent_id, zone_id, status]),
    [[agent.agentId, 'east', 'healthy']],
  )
  const queued = await admin.rest.ok('POST', '/api/v1/spoke/admin/operations/queue', {
    agent_id: agent.agentId,
    type: 'update_config',
    payload: { log_level: 'debug' },
    timeout_seconds: 90,
  })
  assert.equal(queued.status, 'queued')
  const operation = await agent.next('ConfigUpdate')
  assert.deepEqual(
    [operation.id, operation.timeout_seconds, operation.payload],
    [queued.operation_id, 90, { log_level: 'debug' }],
  )
  const result = `/api/v1/spoke/admin/operations/${queued.operation_id}/result`
  assert.equal(await admin.rest.status('GET', result), 404)
  await agent.result(operation.id, 'completed', { result: { applied: true } })
  assert.deepEqual((await admin.rest.ok('GET', result)).result, { applied: true })
  const bad = await admin.rest.send('POST', '/api/v1/spoke/admin/operations/queue', {
    agent_id: agent.agentId,
    type: 'explode',
  })
  assert.equal(bad.status, 400)
  assert.match(bad.body.error, /type must be one of VMCreate, /)
})

test('spoke API: agents are told when the templates of their zone change, and get those that they may know', async (t) => {
  const ovim = await OvimFixture.start(t)
  const [east, west] = [await ovim.connectedAgent('east'), await ovim.connectedAgent('west')]
  await ovim.organization('acme')
  const templates = async (agent: typeof east) => {
    const { templates: found } = await agent.rest.ok('GET', '/api/v1/spoke/templates')
    return found.map(({ namespace, name }: Record<string, string>) => `${namespace}/${name}`).sort()
  }
  const announced = (agent: typeof east) =>
    ovim.eventually(`${agent.zone} is told`, async () => {
      const [operation] = await agent.pollAll()
      if (operation?.type === 'TemplateSync') await agent.result(operation.id, 'completed')
      return operation?.type === 'TemplateSync'
    })
  await ovim.template('small')
  await announced(east)
  await announced(west)
  assert.deepEqual(await templates(east), ['ovim-system/small'])
  await ovim.vdc('acme', 'dev', east)
  await ovim.template('own', 'org-acme')
  await announced(east)
  assert.deepEqual(await templates(east), ['org-acme/own', 'ovim-system/small'])
  assert.deepEqual(await templates(west), ['ovim-system/small'])
  assert.deepEqual(await west.pollAll(), [])
})
