import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterRole, ClusterRoleBinding, ConfigMap, Role, Secret } from '@orrery/kinds'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { AGENT, allow, RBAC, ROBOT } from './allowing.js'
import { appliedOf, configMap, inDefault, type Side, says, WorkPair } from './work-pair.js'

const executor = {
  subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'robot' } },
} as const

function allowVerbs(spoke: Side, verbs: readonly string[], resources: readonly string[], group = ''): Promise<void> {
  const rule = { apiGroups: [group], resources: [...resources], verbs: [...verbs] }
  return allow(spoke, ROBOT, [rule], `robot-${resources.join('-')}`)
}

const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]
const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'admin' }
const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'robot' }]
/** Manifests that grant permissions. */
const escalating = [
  { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: inDefault('more'), rules },
  { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'more' }, rules },
  { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: inDefault('more'), roleRef, subjects },
  { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'more' }, roleRef, subjects },
]

const ALL_VERBS = ['create', 'update', 'patch', 'get', 'delete']

test('executor: applies the work with sufficient permissions', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ALL_VERBS, ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor })
  await pair.whenApplied('w')
})

test('executor: the agent sends a few requests at a time, however many manifests a work has', async (t) => {
  let running = 0
  let most = 0
  const pair = await WorkPair.start(t)
  const { transport } = pair.spoke.client
  const request = transport.request.bind(transport)
  transport.request = async (sent) => {
    if (!sent.path.includes('subjectaccessreviews')) return request(sent)
    most = Math.max(most, ++running)
    try {
      return await request(sent)
    } finally {
      running--
    }
  }
  await pair.startAgent()
  await pair.createWork(
    'w',
    Array.from({ length: 400 }, (_, i) => configMap(`m${i}`, {})),
    { executor },
  )
  await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.ok(most > 0 && most <= 200, `${most} at a time`)
})

test('executor: rejects the work without permissions, and checks again after a minute', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  await allowVerbs(pair.spoke, ['create', 'update', 'patch', 'get'], ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /not allowed to apply the resource {2}configmaps, default a/)
  assert.match(
    appliedOf(work, 0)?.message ?? '',
    /let system:serviceaccount:default:robot delete configmaps by a RoleBinding in namespace "default"/,
  )
  assert.equal(await pair.spoke.client.find(ConfigMap, inDefault('a')), undefined)
  await allowVerbs(pair.spoke, ALL_VERBS, ['configmaps'])
  clock.advance(60_000)
  await pair.whenApplied('w')
})

test('executor: names every missing permission, and a missing service account', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  for (const verb of ALL_VERBS) {
    await allowVerbs(
      pair.spoke,
      ALL_VERBS.filter((one) => one !== verb),
      ['configmaps'],
    )
    const name = `without-${verb}`
    await pair.createWork(name, [configMap(name, { x: '1' })], { executor })
    const work = await pair.whenWork(name, (work) => says(work, 'Applied', 'False'))
    const { reason, message = '' } = appliedOf(work, 0) ?? {}
    assert.equal(reason, 'AppliedManifestFailed')
    assert.match(message, new RegExp(`let system:serviceaccount:default:robot ${verb} configmaps by`))
    assert.match(message, /service account default\/robot does not exist: create it/)
    assert.equal(await pair.spoke.client.find(ConfigMap, inDefault(name)), undefined)
  }
})

test('executor: an account with all permissions may grant all permissions', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.spoke.client.create(ClusterRoleBinding, {
    metadata: { name: 'robot-admin' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'robot' }],
  })
  await pair.startAgent()
  await pair.createWork('w', escalating, { executor })
  const work = await pair.whenApplied('w')
  assert.ok(escalating.every((_, ordinal) => appliedOf(work, ordinal)?.status === 'True'))
})

test('executor: checks roles and bindings of every scope for escalation', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ALL_VERBS, ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'], RBAC)
  await pair.startAgent()
  await pair.createWork('w', escalating, { executor })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  for (const ordinal of escalating.keys()) {
    assert.match(appliedOf(work, ordinal)?.message ?? '', /error: permission escalation, will try again in 1m0s/)
  }
})

test('executor: reports that the agent may not impersonate, instead of an escalation', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ALL_VERBS, ['roles'], RBAC)
  const apiGroups = ['*']
  const rules = [{ apiGroups, resources: ['*'], verbs: [...ALL_VERBS, 'list', 'watch'] }]
  await allow(pair.spoke, AGENT, rules)
  await pair.startAgent({ spoke: pair.spoke.asUser('agent') })
  await pair.createWork('w', escalating.slice(0, 1), { executor })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  const { message = '' } = appliedOf(work, 0) ?? {}
  assert.match(message, /User "agent" cannot impersonate resource "serviceaccounts"/)
  assert.match(message, /aggregate-to-work=true .*"resources":\["serviceaccounts"\],"verbs":\["impersonate"\]/)
})

test('executor: requires a service account', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor: { subject: { type: 'ServiceAccount' } } })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /the executor service account is nil/)
  const subject = { type: 'User' } as never
  await assert.rejects(
    pair.createWork('other', [configMap('b', {})], { executor: { subject } }),
    /executor\.subject\.type/,
  )
})

test('executor: needs no delete permission for orphaned objects', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ['create', 'update', 'patch', 'get'], ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor, deleteOption: { propagationPolicy: 'Orphan' } })
  await pair.whenApplied('w')
})

test('executor: cannot escalate its permissions', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ALL_VERBS, ['roles'], 'rbac.authorization.k8s.io')
  await pair.startAgent()
  const role = (resource: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: inDefault('more'),
    rules: [{ apiGroups: [''], resources: [resource], verbs: ['get'] }],
  })
  await pair.createWork('w', [role('secrets')], { executor })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /permission escalation/)
  assert.equal(await pair.spoke.client.find(Role, inDefault('more')), undefined)
  await allowVerbs(pair.spoke, ALL_VERBS, ['configmaps'])
  await pair.changeWork('w', { workload: { manifests: [role('configmaps')] } })
  await pair.whenApplied('w')
  await pair.changeWork('w', { workload: { manifests: [role('secrets')] } })
  const again = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(again, 0)?.message ?? '', /permission escalation/)
  assert.deepEqual((await pair.spoke.client.get(Role, inDefault('more'))).rules, role('configmaps').rules)
})

test('executor: without delete permission, a Secret is not replaced by another', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ['create', 'update', 'patch', 'get'], ['secrets'])
  const kept = await pair.spoke.client.create(Secret, {
    metadata: inDefault('s'),
    immutable: true,
    data: { a: 'MQ==' },
  })
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('s'), data: { a: 'Mg==' } }
  await pair.startAgent()
  await pair.createWork('w', [secret], { executor, deleteOption: { propagationPolicy: 'Orphan' } })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /let system:serviceaccount:default:robot delete secrets/)
  assert.equal((await pair.spoke.client.get(Secret, inDefault('s'))).metadata.uid, kept.metadata.uid)
  await allowVerbs(pair.spoke, ALL_VERBS, ['secrets'])
  await pair.changeWork('w', { workload: { manifests: [{ ...secret, data: { a: 'Mw==' } }] } })
  await pair.whenApplied('w')
  assert.deepEqual((await pair.spoke.client.get(Secret, inDefault('s'))).data, { a: 'Mw==' })
})

test('executor: ignored fields of a work do not escalate permissions', async (t) => {
  const pair = await WorkPair.start(t)
  await allowVerbs(pair.spoke, ALL_VERBS, ['clusterroles', 'clusterrolebindings'], RBAC)
  await allowVerbs(pair.spoke, ALL_VERBS, ['configmaps'])
  const all = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
  await pair.spoke.client.create(ClusterRole, { metadata: { name: 'powerful' }, rules: all })
  const roleRef = (name: string) => ({ apiGroup: RBAC, kind: 'ClusterRole' as const, name })
  const before = { metadata: { name: 'ops' }, roleRef: roleRef('powerful'), subjects: [] }
  await pair.spoke.client.create(ClusterRoleBinding, before)
  const empty = { kind: 'ClusterRole', metadata: { name: 'empty' }, rules: [] }
  await pair.spoke.client.create(ClusterRole, empty)
  const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'sa' }]
  const apiVersion = `${RBAC}/v1`
  const manifests = [
    { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'ops' }, roleRef: roleRef('empty'), subjects },
    { apiVersion, kind: 'ClusterRole', metadata: { name: 'powerful', labels: { 'more-to': 'view' } }, rules: [] },
  ]
  const leaving = (resource: string, name: string, path: string) => ({
    resourceIdentifier: { group: RBAC, resource, name },
    updateStrategy: {
      type: 'ServerSideApply' as const,
      serverSideApply: { force: true, ignoreFields: [{ condition: 'OnSpokePresent' as const, jsonPaths: [path] }] },
    },
  })
  const manifestConfigs = [
    leaving('clusterrolebindings', 'ops', '.roleRef'),
    leaving('clusterroles', 'powerful', '.rules'),
  ]
  await pair.startAgent()
  await pair.createWork('w', manifests as never, { executor, manifestConfigs })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  for (const ordinal of manifests.keys()) {
    assert.match(appliedOf(work, ordinal)?.message ?? '', /error: permission escalation, will try again in 1m0s/)
  }
  assert.deepEqual((await pair.spoke.client.get(ClusterRoleBinding, { name: 'ops' })).subjects ?? [], [])
  assert.equal((await pair.spoke.client.get(ClusterRole, { name: 'powerful' })).metadata.labels, undefined)
})

test('executor: notices a revoked permission', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  await allowVerbs(pair.spoke, ALL_VERBS, ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor })
  await pair.whenApplied('w')
  await allowVerbs(pair.spoke, ['get'], ['configmaps'])
  await eventually('the work is rejected', async () => {
    clock.advance(60_000)
    return says(await pair.whenWork('w', () => true), 'Applied', 'False')
  })
  await pair.spoke.client.get(ConfigMap, inDefault('a'))
})
