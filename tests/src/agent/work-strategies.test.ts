import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONFIG_SPEC_HASH_ANNOTATION, type NewManifestWorkSpec } from '@orrery/api'
import { ConfigMap, Deployment } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { valuesOf } from './statusreading.js'
import { appliedOf, configMap, deployment, holdsData, inDefault, says, WorkPair } from './work-pair.js'

type Configs = NonNullable<NewManifestWorkSpec['manifestConfigs']>
type Strategy = NonNullable<Configs[number]['updateStrategy']>

const forConfigMap = (updateStrategy: Strategy, name = 'a'): Configs => [
  { resourceIdentifier: { resource: 'configmaps', namespace: 'default', name }, updateStrategy },
]

const forDeployment = (serverSideApply: NonNullable<Strategy['serverSideApply']>): Configs => [
  {
    resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'web' },
    updateStrategy: { type: 'ServerSideApply', serverSideApply },
  },
]

test('CreateOnly: creates, owns, and does not change the object', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { manifestConfigs: forConfigMap({ type: 'CreateOnly' }) })
  await pair.whenApplied('w')
  const before = await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { x: '2' } })
  await pair.changeWork('w', { workload: { manifests: [configMap('a', { x: '3' })] } })
  await pair.whenApplied('w')
  const after = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  assert.deepEqual(after.data, { x: '2' })
  assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion)
  assert.equal(after.metadata.ownerReferences?.length, 1)
  await pair.spoke.client.delete(ConfigMap, inDefault('a'))
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '3' }))
})

test('ReadOnly: writes nothing, and reports whether the object exists', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { manifestConfigs: forConfigMap({ type: 'ReadOnly' }) })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'True') && says(work, 'Available', 'False'))
  assert.equal(appliedOf(work, 0)?.status, 'True')
  await pair.spoke.client.create(ConfigMap, { metadata: inDefault('a'), data: { x: '9' } })
  await pair.whenWork('w', (work) => says(work, 'Available', 'True'))
  await pair.deleteWork('w')
  await pair.whenWorkGone('w')
  const left = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  assert.deepEqual(left.data, { x: '9' })
  assert.equal(left.metadata.ownerReferences, undefined)
})

test('manifestConfigs: a wildcard applies to all matching objects', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.spoke.client.create(ConfigMap, { metadata: inDefault('keep-1'), data: { x: '0' } })
  await pair.startAgent()
  const manifestConfigs = forConfigMap({ type: 'CreateOnly' }, 'keep-*')
  await pair.createWork('w', [configMap('keep-1', { x: '1' }), configMap('other', { x: '1' })], { manifestConfigs })
  await pair.whenApplied('w')
  assert.deepEqual((await pair.spoke.client.get(ConfigMap, inDefault('keep-1'))).data, { x: '0' })
})

test('ServerSideApply: owns its fields and leaves others to their managers', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const manifestConfigs = forConfigMap({ type: 'ServerSideApply', serverSideApply: { fieldManager: 'work-agent-x' } })
  await pair.createWork('w', [configMap('a', { x: '1' })], { manifestConfigs })
  await pair.whenApplied('w')
  await pair.spoke.client.apply(ConfigMap, { metadata: inDefault('a'), data: { y: '2' } }, { fieldManager: 'other' })
  await pair.changeWork('w', { workload: { manifests: [configMap('a', { z: '3' })] } })
  const map = await pair.spoke.when(ConfigMap, inDefault('a'), ({ data }) => data?.z === '3')
  assert.deepEqual(map.data, { y: '2', z: '3' })
  assert.ok(
    map.metadata.managedFields?.some(({ manager, operation }) => manager === 'work-agent-x' && operation === 'Apply'),
  )
  await pair.spoke.when(ConfigMap, inDefault('a'), ({ metadata }) => metadata.ownerReferences?.length === 1)
})

test('ServerSideApply: a conflict names the other manager and the fix, and force resolves it', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.spoke.client.apply(ConfigMap, { metadata: inDefault('a'), data: { x: '0' } }, { fieldManager: 'somebody' })
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' }), configMap('b', { x: '1' })], {
    manifestConfigs: forConfigMap({ type: 'ServerSideApply' }),
  })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.equal(appliedOf(work, 0)?.reason, 'ApplyConflict')
  assert.match(appliedOf(work, 0)?.message ?? '', /conflict with "somebody".*\.data\.x/s)
  assert.match(appliedOf(work, 0)?.message ?? '', /ignoreFields.*force/)
  assert.equal(appliedOf(work, 1)?.status, 'True')
  const force = forConfigMap({ type: 'ServerSideApply', serverSideApply: { force: true } })
  await pair.changeWork('w', { manifestConfigs: force })
  await pair.whenApplied('w')
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '1' }))
})

for (const [what, ignored] of [
  ['JSONPath', { jsonPaths: ['.spec.replicas'] }],
  ['JSON pointer', { jsonPointers: ['/spec/replicas', '/spec/nowhere'] }],
  ['jq expression', { jqPathExpressions: ['.spec | .replicas'] }],
] as const) {
  test(`ignoreFields: ignores a field of a ${what} once the object exists`, async (t) => {
    const pair = await WorkPair.start(t)
    await pair.startAgent()
    const manifestConfigs = forDeployment({
      force: true,
      ignoreFields: [{ condition: 'OnSpokePresent', ...ignored }],
    } as never)
    await pair.createWork('w', [deployment(3, 'web:1')], { manifestConfigs })
    const created = await pair.spoke.when(
      Deployment,
      inDefault('web'),
      ({ metadata }) => metadata.ownerReferences?.length === 1,
    )
    assert.equal(created.spec.replicas, 3)
    assert.match(created.metadata.annotations?.[CONFIG_SPEC_HASH_ANNOTATION] ?? '', /^[0-9a-f]{32}$/)
    await pair.whenApplied('w')
    await pair.spoke.client.patch(Deployment, inDefault('web'), { spec: { replicas: 7 } }, { fieldManager: 'scaler' })
    await pair.changeWork('w', { workload: { manifests: [deployment(3, 'web:2')] } })
    const changed = await pair.spoke.when(
      Deployment,
      inDefault('web'),
      ({ spec }) => spec.template.spec?.containers?.[0]?.image === 'web:2',
    )
    assert.equal(changed.spec.replicas, 7)
  })
}

test('ignoreFields: an ignored field keeps its first value if it is not changed on the cluster', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const ignoreFields = [{ condition: 'OnSpokePresent', jsonPaths: ['.spec.replicas'] }] as const
  await pair.createWork('w', [deployment(3, 'web:1')], {
    manifestConfigs: forDeployment({ ignoreFields: ignoreFields as never }),
  })
  await pair.whenApplied('w')
  await pair.changeWork('w', { workload: { manifests: [deployment(3, 'web:2')] } })
  const changed = await pair.spoke.when(
    Deployment,
    inDefault('web'),
    ({ spec }) => spec.template.spec?.containers?.[0]?.image === 'web:2',
  )
  assert.equal(changed.spec.replicas, 3)
})

test('ignoreFields: OnSpokeChange keeps changes of others, until the work changes', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const ignoreFields = [{ condition: 'OnSpokeChange', jsonPaths: ['.spec.replicas'] }]
  const manifestConfigs = forDeployment({ force: true, ignoreFields } as never)
  await pair.createWork('w', [deployment(3, 'web:1')], { manifestConfigs })
  await pair.whenApplied('w')
  await pair.spoke.client.patch(Deployment, inDefault('web'), { spec: { replicas: 7 } }, { fieldManager: 'scaler' })
  await pair.changeWork('w', { deleteOption: { propagationPolicy: 'Orphan' } })
  await pair.spoke.when(Deployment, inDefault('web'), ({ metadata }) => metadata.ownerReferences === undefined)
  assert.equal((await pair.spoke.client.get(Deployment, inDefault('web'))).spec.replicas, 7)
  await pair.changeWork('w', { workload: { manifests: [deployment(3, 'web:2')] } })
  await pair.spoke.when(Deployment, inDefault('web'), ({ spec }) => spec.replicas === 3)
})

test('ignoreFields: reports an unsupported expression with the supported ones', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const ignoreFields = [{ condition: 'OnSpokePresent', jqPathExpressions: ['to_entries | .[0]'] }]
  await pair.createWork('w', [deployment(3, 'web:1')], { manifestConfigs: forDeployment({ ignoreFields } as never) })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.equal(appliedOf(work, 0)?.reason, 'AppliedManifestSSAIgnoreFieldError')
  assert.match(appliedOf(work, 0)?.message ?? '', /to_entries.*only path expressions are supported/)
})

for (const [what, ignored, why] of [
  ['JSONPath', { jsonPaths: ['.spec.containers[0]'] }, /JSONPath error in '\.spec\.containers\[0\]'/],
  ['JSON pointer', { jsonPointers: ['spec/replicas'] }, /JSON Pointer error in 'spec\/replicas'/],
] as const) {
  test(`ignoreFields: reports an invalid ${what}, and applies nothing`, async (t) => {
    const pair = await WorkPair.start(t)
    await pair.startAgent()
    const ignoreFields = [{ condition: 'OnSpokePresent', ...ignored }]
    await pair.createWork('w', [deployment(3, 'web:1')], { manifestConfigs: forDeployment({ ignoreFields } as never) })
    const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
    assert.equal(appliedOf(work, 0)?.reason, 'AppliedManifestSSAIgnoreFieldError')
    assert.match(appliedOf(work, 0)?.message ?? '', why)
    assert.equal(await pair.spoke.client.find(Deployment, inDefault('web')), undefined)
  })
}

test('ignoreFields: ignores the fields that an expression selects, and not the rest of the list', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const map = (one: string, two: string) => ({ ...configMap('a', { one, two }), metadata: { ...inDefault('a') } })
  const ignoreFields = [{ jqPathExpressions: ['.data | .["one"]'] }]
  const strategy = { type: 'ServerSideApply', serverSideApply: { force: true, ignoreFields } }
  await pair.createWork('w', [map('1', '1')], { manifestConfigs: forConfigMap(strategy as never) })
  await pair.whenApplied('w')
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { one: '9' } }, { fieldManager: 'other' })
  await pair.changeWork('w', { workload: { manifests: [map('2', '2')] } })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ one: '9', two: '2' }))
})

test('ServerSideApply: two works can each own fields of one object', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const by = (fieldManager: string) =>
    forConfigMap({ type: 'ServerSideApply', serverSideApply: { fieldManager } } as Strategy)
  await pair.createWork('one', [configMap('a', { x: '1' })], { manifestConfigs: by('work-agent-one') })
  await pair.whenApplied('one')
  await pair.createWork('two', [configMap('a', { y: '2' })], { manifestConfigs: by('work-agent-two') })
  await pair.whenApplied('two')
  const map = await pair.spoke.when(ConfigMap, inDefault('a'), ({ metadata }) => metadata.ownerReferences?.length === 2)
  assert.deepEqual(map.data, { x: '1', y: '2' })
  await pair.deleteWork('one')
  await pair.whenWorkGone('one')
  const left = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  assert.equal(left.metadata.ownerReferences?.length, 1)
})

test('update strategy: can be changed for an existing object', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { manifestConfigs: forConfigMap({ type: 'CreateOnly' }) })
  await pair.whenApplied('w')
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { x: '2' } })
  await pair.changeWork('w', { manifestConfigs: forConfigMap({ type: 'Update' }) })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '1' }))
  await pair.changeWork('w', { manifestConfigs: forConfigMap({ type: 'ReadOnly' }) })
  await pair.whenApplied('w')
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { x: '3' } })
  const forced = { type: 'ServerSideApply', serverSideApply: { force: true } } as const
  await pair.changeWork('w', { manifestConfigs: forConfigMap(forced as Strategy) })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '1' }))
})

test('manifestConfigs: the first matching config with a setting counts', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.spoke.client.create(ConfigMap, { metadata: inDefault('a'), data: { x: '0' } })
  await pair.startAgent()
  const resourceIdentifier = { resource: 'configmaps', namespace: 'def*', name: '*' }
  const manifestConfigs: Configs = [
    { resourceIdentifier, feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'x', path: '.data.x' }] }] },
    { resourceIdentifier, updateStrategy: { type: 'CreateOnly' } },
    { resourceIdentifier, updateStrategy: { type: 'Update' } },
  ]
  await pair.createWork('w', [configMap('a', { x: '1' })], { manifestConfigs })
  const work = await pair.whenApplied('w')
  assert.deepEqual(valuesOf(work), { x: '0' })
})

test('ServerSideApply: two works that want different values do not loop', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('one', [configMap('shared', { x: '1' })])
  await pair.whenApplied('one')
  await pair.createWork('two', [configMap('shared', { x: '2' })])
  await pair.whenApplied('two')
  await eventually(
    'both have had their say',
    () => pair.spoke.requests.filter(({ method }) => method === 'PUT').length >= 4,
  )
  const writes = pair.spoke.requests.filter(({ method }) => method === 'PUT').length
  assert.ok(writes < 12, `${writes} writes`)
})
