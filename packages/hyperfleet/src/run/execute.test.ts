import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { serviceUnavailable } from '@orrery/kinds/values'
import { CLUSTER, EVENT, startAdapter, TASK } from './adapter.fixture.js'
import { parseEvent } from './event.js'

const conditionsIn = (report: { conditions: { type: string; status: string; reason?: string }[] }) =>
  report.conditions.map(({ type, status, reason }) => [`${type}=${status}`, reason].filter(Boolean).join(' '))

/** Reports a condition of the HostedCluster as the agent would. */
function makeAvailable(work: ManifestWork | undefined): void {
  const resourceMeta = { ordinal: 0, kind: 'HostedCluster', name: 'my-cluster', namespace: 'clusters' }
  const conditions = [{ type: 'Available', status: 'True', reason: 'ResourceAvailable' }]
  Object.assign(work ?? {}, { status: { resourceStatus: { manifests: [{ resourceMeta, conditions }] } } })
}

test('execute: creates a work and reports with a PUT', async (t) => {
  const { maestro, api, run, report } = await startAdapter(t)
  const result = await run()
  assert.equal(result.status, 'success', JSON.stringify(result.errors))
  const work = maestro.works.get('us-east-mgmt-01/abc123-mw')
  assert.equal(work?.metadata.namespace, 'us-east-mgmt-01')
  assert.deepEqual(
    api.requests.map(({ method, url }) => `${method} ${url}`),
    ['GET /api/hyperfleet/v1/clusters/abc123', 'PUT /api/hyperfleet/v1/clusters/abc123/statuses'],
  )
  const { adapter, observed_generation, observed_time } = report()
  assert.deepEqual(
    { adapter, observed_generation, observed_time },
    {
      adapter: 'controlplane',
      observed_generation: 5,
      observed_time: '2030-01-01T00:00:00Z',
    },
  )
  assert.deepEqual(conditionsIn(report()), [
    'Applied=True ManifestWork',
    'Available=False',
    'Health=True Healthy',
    'Finalized=False',
  ])
  assert.deepEqual(
    result.resources.map(({ operation }) => operation),
    ['create'],
  )
})

test('execute: an id of an event cannot lead a request to another resource of the API', async (t) => {
  const { api, run } = await startAdapter(t)
  for (const id of ['../../v1/secrets', '..', '%2E%2e/x', '..\\x', '.\t./x']) {
    const result = await run({ ...EVENT, data: { ...EVENT.data, id } })
    assert.match(JSON.stringify(result.errors), /must not have .*segments/, id)
  }
  assert.equal(api.requests.length, 0)
  await run({ ...EVENT, data: { ...EVENT.data, id: 'a..b' } })
  assert.equal(api.requests[0]?.url, '/api/hyperfleet/v1/clusters/a..b')
})

test('execute: skips a work of the same generation, updates another, and sees conditions of nested objects', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  await run()
  makeAvailable(maestro.works.get('us-east-mgmt-01/abc123-mw'))
  const second = await run()
  assert.deepEqual(
    second.resources.map(({ operation }) => operation),
    ['skip'],
  )
  assert.ok(conditionsIn(report()).includes('Available=True'))
  const third = await run({ ...EVENT, data: { ...EVENT.data, generation: 6 } })
  assert.deepEqual(
    third.resources.map(({ operation }) => operation),
    ['update'],
  )
  const work = maestro.works.get('us-east-mgmt-01/abc123-mw')
  assert.equal(work?.metadata.annotations?.['hyperfleet.io/generation'], '6')
})

test('execute: deletes when the expression is true and reports Finalized when the work is gone', async (t) => {
  let deleted: object = {}
  const { maestro, run, report } = await startAdapter(t, {
    answer: ({ method }) => (method === 'GET' ? { status: 200, body: { ...CLUSTER, ...deleted } } : undefined),
  })
  await run()
  deleted = { deleted_time: '2030-01-01T00:00:00Z' }
  const result = await run()
  assert.deepEqual(
    result.resources.map(({ operation, discoveredState }) => [operation, discoveredState !== undefined]),
    [['delete', true]],
  )
  assert.equal(maestro.works.size, 0)
  assert.ok(conditionsIn(report()).includes('Finalized=True'))
  const again = await run()
  assert.equal(again.resources[0]?.reason, 'the work does not exist')
})

test('execute: reports a precondition that is not met and leaves resources as they are', async (t) => {
  const { maestro, run, report } = await startAdapter(t, {
    answer: ({ method }) =>
      method === 'GET' ? { status: 200, body: { ...CLUSTER, spec: { region: 'eu' } } } : undefined,
  })
  const result = await run()
  assert.equal(result.status, 'success')
  assert.equal(
    result.skipReason,
    `precondition 'region' not met: cluster.spec.region in ["us-east","us-west"] (actual: "eu")`,
  )
  assert.deepEqual(maestro.calls, [])
  assert.deepEqual(conditionsIn(report()).slice(0, 3), [
    'Applied=False ResourcesSkipped',
    'Available=False',
    'Health=True Healthy',
  ])
})

test('execute: reports a failure of Maestro', async (t) => {
  const { maestro, run, report } = await startAdapter(t)
  maestro.failures.push({ verb: 'create', error: serviceUnavailable('no connection to Maestro') })
  const result = await run()
  assert.equal(result.status, 'failed')
  assert.deepEqual(result.errors, { resources: 'no connection to Maestro' })
  assert.ok(conditionsIn(report()).includes('Health=False ExecutionFailed:resources'))
})

test('execute: a required parameter without a value fails without post actions', async (t) => {
  const { api, run } = await startAdapter(t)
  const result = await run(parseEvent('{"specversion":"1.0","id":"e","type":"t","source":"s","data":{"id":"abc123"}}'))
  assert.deepEqual(result.errors, { param_extraction: 'param "generation" is required: event.generation has no value' })
  assert.deepEqual(api.requests, [])
})

test('execute: stops quietly if the resource is gone, and fails if the path is wrong', async (t) => {
  const gone = await startAdapter(t, {
    answer: ({ method }) => (method === 'PUT' ? { status: 404, body: { code: 'HYPERFLEET-NTF-001' } } : undefined),
  })
  const result = await gone.run()
  assert.deepEqual(
    [result.status, result.skipReason, result.postActions[0]?.status],
    ['success', 'ResourceNotFound', 'skipped'],
  )
  const wrong = await startAdapter(t, {
    answer: ({ method }) => (method === 'PUT' ? { status: 404, body: { code: 'HYPERFLEET-NTF-000' } } : undefined),
  })
  const failed = await wrong.run()
  assert.equal(failed.status, 'failed')
  assert.match(failed.errors.post_actions ?? '', /PUT \/api\/hyperfleet\/v1\/clusters\/abc123\/statuses returned 404/)
})

test('execute: an optional request that fails leaves its parameter without a value', async (t) => {
  const { api, run } = await startAdapter(t, {
    answer: ({ method }) => (method === 'GET' ? { status: 500 } : undefined),
  })
  const result = await run()
  assert.equal(result.params.cluster, undefined)
  assert.equal(result.params.clusterName, 'unnamed')
  assert.equal(api.requests.filter(({ method }) => method === 'GET').length, 3, 'three attempts')
})

test('execute: rejects a work or manifest without a generation', async (t) => {
  const without = TASK.replace(
    'annotations: { hyperfleet.io/generation: "{{ .generation }}" }\n              spec',
    'labels: {}\n              spec',
  )
  const zero = TASK.replace('"{{ .generation }}" }\n      spec', '"0" }\n      spec')
  assert.notEqual(without, TASK)
  assert.notEqual(zero, TASK)
  const first = await (
    await startAdapter(t, {
      task: without.replace('                annotations: { hyperfleet.io/generation: "{{ .generation }}" }\n', ''),
    })
  ).run()
  assert.match(
    first.errors.resources ?? '',
    /^spec\.workload\.manifests\[0\]\.metadata\.annotations\[hyperfleet\.io\/generation\]: Required value/,
  )
  const second = await (await startAdapter(t, { task: zero })).run()
  assert.match(
    second.errors.resources ?? '',
    /^metadata\.annotations\[hyperfleet\.io\/generation\]: Invalid value: "0"/,
  )
})

test('execute: does not create while lifecycle.create.when is false', async (t) => {
  const task = TASK.replace('lifecycle:\n', 'lifecycle:\n      create: { when: { expression: "generation > 5" } }\n')
  const { maestro, run, report } = await startAdapter(t, { task })
  const result = await run()
  assert.deepEqual(
    [result.resources[0]?.status, result.skipReason],
    ['skipped', 'hostedCluster: lifecycle.create.when is false'],
  )
  assert.deepEqual(maestro.works.size, 0)
  assert.equal(conditionsIn(report())[0], 'Applied=False ResourcesSkipped')
  await run({ ...EVENT, data: { ...EVENT.data, generation: 6 } })
  assert.equal(maestro.works.size, 1)
})

test('execute: a delete expression without its data deletes nothing', async (t) => {
  const { maestro, run } = await startAdapter(t, {
    task: TASK.replace('expression: isDeleting', 'expression: cluster.spec.gone'),
  })
  const result = await run()
  assert.match(result.errors.resources ?? '', /^lifecycle\.delete\.when: no such key: gone/)
  assert.equal(
    maestro.calls.some((call) => call.startsWith('delete')),
    false,
  )
})

test('execute: the paths of credentials are visible only to parameters that name them', async (t) => {
  const task = `
params:
  - { name: ca, source: config.clients.maestro.auth.tls_config.ca_file }
  - { name: shown, source: { expression: "config.clients.maestro.auth.tls_config.ca_file" } }
`
  const { run } = await startAdapter(t, { task })
  const { params } = await run()
  assert.deepEqual([params.ca, params.shown], ['/etc/ca.crt', '**REDACTED**'])
})

test('execute: discovers the newest work with some labels, and skips actions of skipped payloads', async (t) => {
  const task = TASK.replace(
    'discovery: { by_name: "{{ .clusterId }}-mw" }',
    'discovery: { by_selectors: { label_selector: { app: "{{ .clusterId }}" } } }',
  )
    .replace(
      'metadata:\n        name: "{{ .clusterId }}-mw"',
      'metadata:\n        labels: { app: "{{ .clusterId }}" }\n        name: "{{ .clusterId }}-mw"',
    )
    .replace('- name: status\n', '- name: status\n      when: { expression: "generation > 5" }\n')
  const { maestro, api, run } = await startAdapter(t, { task })
  const older = {
    name: 'a-older',
    namespace: 'us-east-mgmt-01',
    labels: { app: 'abc123' },
    annotations: { 'hyperfleet.io/generation': '1' },
  }
  maestro.put({ metadata: older })
  const result = await run()
  const found = result.discovered.hostedCluster as ManifestWork
  assert.equal(found.metadata.name, 'abc123-mw')
  assert.deepEqual(result.postActions, [
    { name: 'report', status: 'skipped', skipped: true, reason: "payload 'status' was skipped" },
  ])
  assert.equal(
    api.requests.some(({ method }) => method === 'PUT'),
    false,
  )
})

for (const [text, message] of [
  ['[]', 'it is not an object'],
  ['{', /it is not JSON/],
  ['{"specversion":"0.3"}', 'specversion must be "1.0"'],
  ['{"specversion":"1.0","id":"a","type":"t"}', 'source: Required value'],
  ['{"specversion":"1.0","id":"a","type":"t","source":"s","data":"x"}', 'data is not an object'],
] as const) {
  test(`parseEvent: rejects ${text}`, () => {
    const expected =
      typeof message === 'string'
        ? { message: `the CloudEvent is not valid: ${message}`, code: 'hyperfleet-adapter-15' }
        : message
    assert.throws(() => parseEvent(text), expected)
  })
}

test('parseEvent: reads data in base64', () => {
  const data = Buffer.from('{"id":"abc123"}').toString('base64')
  const event = parseEvent(`{"specversion":"1.0","id":"a","type":"t","source":"s","data_base64":"${data}"}`)
  assert.deepEqual(event.data, { id: 'abc123' })
})
