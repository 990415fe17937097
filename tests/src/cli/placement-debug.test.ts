import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  Placement,
  SCHEDULING_DISABLED_ANNOTATION,
  UNAVAILABLE_TAINT,
  UNREACHABLE_TAINT,
} from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, Secret, ServiceAccount } from '@orrery/kinds'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { type Foreground, running } from '../support/fleet.js'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'

const GATE = ['--feature-gates', 'PlacementDebugServer=true']
const SET_LABEL = 'cluster.open-cluster-management.io/clusterset'

function runs(t: TestContext, ...args: readonly string[]): Foreground {
  const command = running(...args)
  afterwards(t, async () => {
    command.process.kill('SIGTERM')
    await command.ended
  })
  return command
}

/** Two clusters, of which one is tainted, and a placement that no controller decides. */
async function createPlacement(client: KubeClient): Promise<void> {
  await client.create(ManagedClusterSet, { metadata: { name: 'eu' }, spec: {} })
  const binding = { metadata: { namespace: 'default', name: 'eu' }, spec: { clusterSet: 'eu' } }
  await client.create(ManagedClusterSetBinding, binding)
  const allocatable = { cpu: '4', memory: '8Gi' }
  for (const name of ['c1', 'c2', 'c3']) {
    const taints = name === 'c3' ? [{ key: 'gpu', effect: 'NoSelect' as const }] : []
    const metadata = { name, labels: { [SET_LABEL]: 'eu' } }
    await client.create(ManagedCluster, { metadata, spec: { hubAcceptsClient: true, taints } })
    const cpu = name === 'c1' ? '2' : '4'
    const status = { capacity: allocatable, allocatable: { ...allocatable, cpu } }
    await client.patch(ManagedCluster, { name }, { status }, { subresource: 'status' })
  }
  const annotations = { [SCHEDULING_DISABLED_ANNOTATION]: 'true' }
  await client.create(Placement, { metadata: { namespace: 'default', name: 'web', annotations }, spec: SPEC })
}

const SPEC = {
  clusterSets: ['eu'],
  // The clusters of the test have no agents.
  tolerations: [UNAVAILABLE_TAINT, UNREACHABLE_TAINT].map((key) => ({ key, operator: 'Exists' })),
  prioritizerPolicy: {
    mode: 'Exact',
    configurations: [{ scoreCoordinate: { type: 'BuiltIn' as const, builtIn: 'ResourceAllocatableCPU' }, weight: 2 }],
  },
}

const RESULTS = {
  filteredPipelineResults: [
    { name: 'Predicate', filteredClusters: ['c1', 'c2', 'c3'] },
    { name: 'Predicate,TaintToleration', filteredClusters: ['c1', 'c2'] },
  ],
  prioritizeResults: [{ name: 'ResourceAllocatableCPU', weight: 2, scores: { c1: -100, c2: 100 } }],
  aggregatedScores: [
    { clusterName: 'c2', score: 200 },
    { clusterName: 'c1', score: -200 },
  ],
}

interface Answer {
  readonly code: number
  readonly result: { readonly error?: string; readonly placement?: Placement } & Record<string, unknown>
}

async function send(url: string, method: string, token?: string, body = ''): Promise<Answer> {
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const request = httpsRequest(url, { method, rejectUnauthorized: false, agent: false, headers })
  // The server closes the connection while a body that is too large is sent.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { code: response.statusCode, result: JSON.parse(text) }
}

async function tokenOf(client: KubeClient, name: string, verbs: readonly string[]): Promise<string> {
  await client.create(ServiceAccount, { metadata: { namespace: 'default', name } })
  const annotations = { 'kubernetes.io/service-account.name': name }
  const ref = { namespace: 'default', name: `${name}-token` }
  await client.create(Secret, { metadata: { ...ref, annotations }, type: 'kubernetes.io/service-account-token' })
  if (verbs.length > 0) {
    const rules = [{ apiGroups: ['cluster.open-cluster-management.io'], resources: ['placements'], verbs: [...verbs] }]
    await client.create(ClusterRole, { metadata: { name }, rules })
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name }],
    })
  }
  const token = await eventually('the Secret has a token', async () => (await client.get(Secret, ref)).data?.token)
  return Buffer.from(token, 'base64').toString('utf8')
}

test('orrery hub: serves the placement debug endpoint beside probes of an existing cluster', async (t) => {
  const server = await startServer(t)
  const init = await orrery('init', '--kubeconfig', server.kubeconfig)
  assert.equal(init.code, 0, init.errors)
  const client = await clientFrom(server.kubeconfig)
  afterwards(t, () => client.close())
  await createPlacement(client)
  const on = ['hub', '--kubeconfig', server.kubeconfig, '--no-webhooks']
  const unserved = await orrery(...on, ...GATE)
  assert.equal(unserved.code, 2)
  assert.match(unserved.errors, /PlacementDebugServer requires --health-address on an existing cluster/)

  const hub = runs(t, ...on, ...GATE, '--health-address', '127.0.0.1:0')
  await hub.says(/^Probes and metrics are at \S+$/m)
  const [, url = ''] = /^Probes and metrics are at (\S+)$/m.exec(hub.text()) ?? []
  const place = `${url}/debug/placements/`
  const reader = await tokenOf(client, 'reader', ['get'])
  const creator = await tokenOf(client, 'creator', ['create'])
  const stranger = await tokenOf(client, 'stranger', [])

  const found = await send(`${place}default/web`, 'GET', reader)
  assert.equal(found.code, 200, JSON.stringify(found.result))
  const { placement, ...results } = found.result
  assert.deepEqual(results, RESULTS)
  assert.deepEqual(Object.keys(placement ?? {}), ['metadata', 'spec', 'status'])
  assert.deepEqual(placement?.metadata, {
    name: 'web',
    namespace: 'default',
    annotations: { [SCHEDULING_DISABLED_ANNOTATION]: 'true' },
  })
  assert.deepEqual(placement?.status, { numberOfSelectedClusters: 0, decisionGroups: null, conditions: null })

  const draft = { metadata: { namespace: 'default', name: 'new' }, spec: SPEC }
  const posted = await send(place, 'POST', creator, JSON.stringify(draft))
  assert.equal(posted.code, 200, JSON.stringify(posted.result))
  assert.deepEqual(posted.result.aggregatedScores, RESULTS.aggregatedScores)
  assert.equal(await client.find(Placement, draft.metadata), undefined)
  const wrong = { ...draft, spec: { tolerations: [{ operator: 'Equal' }] } }
  const misconfigured = await send(place, 'POST', creator, JSON.stringify(wrong))
  assert.equal(misconfigured.code, 200)
  assert.equal(misconfigured.result.filteredPipelineResults, undefined)

  const refusals: [number, RegExp, string, string, string?, string?][] = [
    [401, /Unauthorized/, 'GET', 'default/web'],
    [401, /Unauthorized/, 'GET', 'default/web', 'nonsense'],
    [403, /permission to get placements in namespace default/, 'GET', 'default/web', stranger],
    [403, /permission to get placements/, 'GET', 'default/other', creator],
    [403, /permission to create placements in namespace default/, 'POST', '', reader, JSON.stringify(draft)],
    [400, /invalid debug path/, 'GET', '', reader],
    [400, /invalid debug path/, 'GET', 'web', reader],
    [400, /invalid debug path/, 'GET', 'default/web/more', reader],
    [404, /placement 'other' not found/, 'GET', 'default/other', reader],
    [405, /method PUT not allowed/, 'PUT', 'default/web', reader],
    [405, /method DELETE not allowed/, 'DELETE', 'default/web', reader],
    [400, /failed to unmarshal placement JSON/, 'POST', '', creator, '{'],
    [400, /failed to unmarshal placement JSON: spec\.numberOfClusters/, 'POST', '', creator, BAD_FIELD],
    [400, /not a Placement/, 'POST', '', creator, '{"kind":"ConfigMap"}'],
    [413, /limit is 1048576/, 'POST', '', creator, `"${'x'.repeat(1024 * 1024)}"`],
  ]
  for (const [code, error, method, path, token, body] of refusals) {
    const answer = await send(`${place}${path}`, method, token, body)
    assert.equal(answer.code, code, `${method} ${path}: ${JSON.stringify(answer.result)}`)
    assert.match(answer.result.error ?? String(answer.result.message), error)
  }
})

const BAD_FIELD = '{"metadata":{"namespace":"default"},"spec":{"numberOfClusters":"two"}}'

test('orrery hub: serves the placement debug endpoint at the API server of an embedded hub', async (t) => {
  const data = await temporaryDirectory(t)
  const hub = runs(t, 'hub', '--data', data, ...GATE)
  await hub.says(/^ready$/m)
  const client = await clientFrom(join(data, 'kubeconfig'))
  afterwards(t, () => client.close())
  await createPlacement(client)
  const result = await client.getJson<Answer['result']>('/debug/placements/default/web')
  assert.deepEqual(result.aggregatedScores, RESULTS.aggregatedScores)
  const missing = await client.raw({ method: 'GET', path: '/debug/placements/default/other' })
  assert.equal(missing.status, 404)
  const server = client.getJson<object>('/debug/other')
  await assert.rejects(server, { code: 404 })
})
