import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { Identity } from '../identity/identity.js'
import { jsonOf } from '../testing/path-client.fixture.js'
import { clientAs, failureOf, testServer, whenObject } from '../testing/test-server.fixture.js'
import { AUTO_UPDATE } from './bootstrap.js'

const SCHEMAS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
const LEVELS = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'

const ANN: Identity = { username: 'ann', uid: '', groups: ['system:authenticated'], extra: {} }

type Listed = { items: KubeObject[] }

const namesOf = ({ items }: Listed) => items.map(({ metadata }) => metadata.name)
const isKnown = ({ status }: KubeObject) => ((status ?? {}) as { conditions?: unknown[] }).conditions?.length === 1

async function serve(t: TestContext) {
  const { server, client } = await testServer(t)
  return { server, client, ann: clientAs(server, ANN) }
}

test('flow control: has the mandatory and suggested objects of kube-apiserver, without dangling references', async (t) => {
  const { client } = await serve(t)
  assert.deepEqual(namesOf(await client.get<Listed>(LEVELS)), [
    'catch-all',
    'exempt',
    'global-default',
    'leader-election',
    'node-high',
    'system',
    'workload-high',
    'workload-low',
  ])
  const schemas = namesOf(await client.get<Listed>(SCHEMAS))
  assert.deepEqual(schemas, [
    'catch-all',
    'exempt',
    'global-default',
    'kube-controller-manager',
    'kube-scheduler',
    'kube-system-service-accounts',
    'probes',
    'service-accounts',
    'system-leader-election',
    'system-node-high',
    'system-nodes',
  ])
  const { status } = await whenObject(client, SCHEMAS, 'probes', isKnown)
  const { lastTransitionTime, ...condition } = (status as { conditions: Record<string, string>[] }).conditions[0] ?? {}
  assert.ok(lastTransitionTime)
  assert.deepEqual(condition, {
    type: 'Dangling',
    status: 'False',
    reason: 'Found',
    message: 'This FlowSchema references the PriorityLevelConfiguration object named "exempt" and it exists',
  })
})

test('flow control: sends the UIDs of the flow schema and the priority level in headers', async (t) => {
  const { client, ann } = await serve(t)
  const uid = async (path: string) => (await client.get<KubeObject>(path)).metadata.uid
  const { headers } = await ann.request({ method: 'GET', path: '/version' })
  assert.equal(headers['x-kubernetes-pf-flowschema-uid'], await uid(`${SCHEMAS}/global-default`))
  assert.equal(headers['x-kubernetes-pf-prioritylevel-uid'], await uid(`${LEVELS}/global-default`))
})

const QUIET = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: 'quiet' },
  spec: {
    priorityLevelConfiguration: { name: 'quiet' },
    matchingPrecedence: 50,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'ann' } }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
}

test('flow control: applies configuration changes immediately', async (t) => {
  const { client, ann } = await serve(t)
  const flowOf = async () =>
    (await ann.request({ method: 'GET', path: '/version' })).headers['x-kubernetes-pf-flowschema-uid']
  const general = (await client.get<KubeObject>(`${SCHEMAS}/global-default`)).metadata.uid
  const schema = await client.create<KubeObject>(SCHEMAS, QUIET)
  const isDangling = ({ status }: KubeObject) =>
    JSON.stringify(status ?? {}).includes('"status":"True"') &&
    JSON.stringify(status).includes('but there is no such object')
  await whenObject(client, SCHEMAS, 'quiet', isDangling)
  assert.equal(await flowOf(), general, 'a schema without its level is skipped')
  await client.create(LEVELS, {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'quiet' },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
  })
  await whenObject(client, SCHEMAS, 'quiet', (object) => !isDangling(object))
  assert.equal(await flowOf(), schema.metadata.uid)
  const metrics = await client.request({ method: 'GET', path: '/metrics' })
  const text = (await metrics.bytes()).toString('utf8')
  assert.match(text, /apiserver_flowcontrol_nominal_limit_seats\{priority_level="quiet"\} 3\n/)
  assert.match(
    text,
    /apiserver_flowcontrol_dispatched_requests_total\{priority_level="quiet",flow_schema="quiet"\} 1\n/,
  )
  await client.delete(`${SCHEMAS}/quiet`)
  assert.equal(await flowOf(), general)
})

test('flow control: restores mandatory objects and refuses to change them', async (t) => {
  const { client } = await serve(t)
  const before = await client.get<KubeObject>(`${LEVELS}/catch-all`)
  await client.delete(`${LEVELS}/catch-all`)
  await whenObject(client, LEVELS, 'catch-all', ({ metadata }) => metadata.uid !== before.metadata.uid)
  const path = `${SCHEMAS}/exempt`
  const refused = await failureOf(client.patch(path, { spec: { matchingPrecedence: 5 } }))
  assert.match(refused.message, /spec of 'exempt' must equal the fixed value/)
  assert.equal(refused.code, 422)
})

test('flow control: keeps suggested objects up to date unless an administrator disables it', async (t) => {
  const { client } = await serve(t)
  const path = `${LEVELS}/workload-low`
  const shares = (value: number) => ({ spec: { limited: { nominalConcurrencyShares: value } } })
  const sharesOf = (object: KubeObject) =>
    (object.spec as { limited: { nominalConcurrencyShares: number } }).limited.nominalConcurrencyShares
  const changed = await client.patch<KubeObject>(path, shares(7))
  assert.equal(sharesOf(changed), 7)
  await whenObject(client, LEVELS, 'workload-low', (object) => sharesOf(object) === 100)
  await client.patch(path, { metadata: { annotations: { [AUTO_UPDATE]: 'false' } }, ...shares(8) })
  await client.patch(`${LEVELS}/system`, shares(9))
  await whenObject(client, LEVELS, 'system', (object) => sharesOf(object) === 30)
  assert.equal(sharesOf(await client.get<KubeObject>(path)), 8)
})

test('flow control: defaults, validates and prints objects like kube-apiserver', async (t) => {
  const { client } = await serve(t)
  const level = await client.create<KubeObject>(LEVELS, {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'plain' },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  })
  assert.deepEqual(level.spec, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: 30,
      limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
      lendablePercent: 0,
    },
  })
  const wrong = { ...QUIET, spec: { ...QUIET.spec, matchingPrecedence: 1, rules: [{ subjects: [] }] } }
  const refused = await failureOf(client.create(SCHEMAS, wrong))
  assert.match(refused.message, /only the schema named 'exempt' may have matchingPrecedence 1/)
  assert.match(refused.message, /subjects must contain at least one value/)
  assert.match(refused.message, /at least one of resourceRules and nonResourceRules has to be non-empty/)
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const table = await client.request({ method: 'GET', path: `${LEVELS}/system`, headers: { accept } })
  const { columnDefinitions, rows } = (await jsonOf(table)) as {
    columnDefinitions: { name: string }[]
    rows: { cells: unknown[] }[]
  }
  assert.deepEqual(
    columnDefinitions.map(({ name }) => name),
    ['Name', 'Type', 'NominalConcurrencyShares', 'Queues', 'HandSize', 'QueueLengthLimit', 'Age'],
  )
  assert.deepEqual(rows[0]?.cells.slice(0, 6), ['system', 'Limited', 30, 64, 6, 50])
})
