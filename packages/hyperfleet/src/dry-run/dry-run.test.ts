import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CLUSTER, EVENT, OBJECT_TASK, startAdapter } from '../run/adapter.fixture.js'
import { dryRun } from './dry-run.js'
import { formatTrace } from './trace.js'

async function trace(
  t: TestContext,
  options: { responses?: unknown; discovered?: unknown; task?: string; generation?: number } = {},
) {
  const { task, generation = 5 } = options
  const { adapter, directory, api } = await startAdapter(t, task === undefined ? {} : { task })
  const file = (name: string, content: unknown) => {
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content))
    return join(directory, name)
  }
  const responses = options.responses ?? {
    responses: [
      {
        match: { method: 'GET', urlPattern: '/api/hyperfleet/v1/clusters/.*' },
        responses: [{ statusCode: 200, body: CLUSTER }],
      },
      { match: { method: '*', urlPattern: '.*/statuses' }, responses: [{ statusCode: 201, headers: { a: 'b' } }] },
    ],
  }
  const found = await dryRun({
    adapter,
    eventFile: file('event.json', { specversion: '1.0', ...EVENT, data: { ...EVENT.data, generation } }),
    responsesFile: file('responses.json', responses),
    ...(options.discovered === undefined ? {} : { discoveryFile: file('discovery.json', options.discovered) }),
  })
  assert.deepEqual(api.requests, [], 'nothing is sent')
  return found
}

test('dryRun: has the keys of a trace and records requests and calls to Maestro', async (t) => {
  const found = await trace(t)
  assert.deepEqual(Object.keys(found).sort(), [
    'apiRequests',
    'discoveredResources',
    'errors',
    'event',
    'params',
    'postActions',
    'preconditions',
    'resources',
    'status',
    'transportOperations',
  ])
  assert.equal(found.params.env, undefined)
  assert.deepEqual(
    found.transportOperations.map(
      ({ operation, namespace, name, result }) => `${operation} ${namespace}/${name} ${result}`,
    ),
    [
      'get us-east-mgmt-01/abc123-mw not found',
      'get us-east-mgmt-01/abc123-mw not found',
      'create us-east-mgmt-01/abc123-mw created',
      'get us-east-mgmt-01/abc123-mw found',
    ],
  )
})

test('formatTrace: shows each phase, and bodies if verbose', async (t) => {
  const found = await trace(t)
  const text = formatTrace(found, false)
  for (const line of [
    'Event e1 (com.redhat.hyperfleet.cluster.reconcile.v1)',
    '  clusterId = "abc123"',
    'Preconditions: all met',
    '  hostedCluster (us-east-mgmt-01/abc123-mw): create: the work did not exist',
    '  report: success',
    '  PUT /api/hyperfleet/v1/clusters/abc123/statuses -> 201',
    'Result: success',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`)
  }
  assert.doesNotMatch(text, /observed_generation":/)
  assert.match(formatTrace(found, true), /request: \{\n {6}"adapter": "controlplane",\n/)
})

test('dryRun: updates a work of the discovery file and shows failures', async (t) => {
  const work = { kind: 'ManifestWork', metadata: { name: 'abc123-mw', namespace: 'us-east-mgmt-01' } }
  const updated = await trace(t, { discovered: { 'abc123-mw': work } })
  assert.deepEqual(
    updated.resources.map(({ operation }) => operation),
    ['update'],
  )
  const failing = {
    responses: [
      {
        match: {},
        responses: [
          { statusCode: 200, body: CLUSTER },
          { statusCode: 400, body: 'Available is missing' },
        ],
      },
    ],
  }
  const failed = await trace(t, { responses: failing })
  assert.equal(failed.status, 'failed')
  assert.match(
    formatTrace(failed, false),
    /Post actions: failed\n {2}report: failed: PUT \S+ returned 400: Available is missing/,
  )
})

const settings = (generation: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'abc123',
    namespace: 'clusters',
    labels: { cluster: 'abc123' },
    annotations: { 'hyperfleet.io/generation': generation },
  },
  data: { generation, kept: 'yes' },
})

test('dryRun: applies objects to the Kubernetes API', async (t) => {
  const created = await trace(t, { task: OBJECT_TASK })
  assert.deepEqual(
    created.resources.map(({ kind, operation, reason }) => [kind, operation, reason]),
    [['ConfigMap', 'create', 'the object did not exist']],
  )
  const text = formatTrace(created, false)
  assert.match(text, /^ {2}settings \(clusters\/abc123\): create: the object did not exist$/m)
  assert.match(
    text,
    /^Calls to Kubernetes: 4\n {2}list ConfigMap -> 0 found\n {2}get ConfigMap clusters\/abc123 -> not found\n {2}create ConfigMap clusters\/abc123 -> created\n/m,
  )
  assert.doesNotMatch(text, /Calls to Maestro/)

  const updated = await trace(t, { task: OBJECT_TASK, discovered: { abc123: settings('4') } })
  assert.equal(updated.resources[0]?.operation, 'update')
  assert.deepEqual((updated.discoveredResources.settings as { data: unknown }).data, { generation: '5', kept: 'yes' })

  const same = await trace(t, { task: OBJECT_TASK, discovered: { abc123: settings('5') } })
  assert.equal(same.resources[0]?.operation, 'skip')

  const other = { ...settings('8'), metadata: { ...settings('8').metadata, labels: {} } }
  const discovered = { abc123: settings('8'), other }
  const deleted = await trace(t, { task: OBJECT_TASK, discovered, generation: 9 })
  assert.deepEqual(
    deleted.transportOperations.map(({ operation, result }) => `${operation} ${result}`),
    ['list 1 found', 'list 1 found', 'delete deleted', 'list 0 found'],
  )
  assert.deepEqual(deleted.discoveredResources, {})
})

test('dryRun: names what is wrong with its files', async (t) => {
  await assert.rejects(trace(t, { responses: '{' }), /responses\.json is not JSON/)
  await assert.rejects(
    trace(t, { responses: { responses: [{ match: { url: 'x' }, responses: [] }] } }),
    /responses\[0\]\.match\.url: .*unknown field/,
  )
  await assert.rejects(trace(t, { discovered: { a: {} } }), /discovery\.json is not valid: a\.metadata: Required value/)
})
