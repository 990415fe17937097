import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewManifestWorkSpec } from '@orrery/api'
import { ConfigMap, Job, type Kind, Namespace } from '@orrery/kinds'
import type { DynamicObject } from '@orrery/kube/discovery'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { configMap, inDefault, manifestOf, says, WorkPair } from './work-pair.js'

test('work order: applies dependencies first, whatever the order of the work', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const inTeam = (kind: string, apiVersion: string, more: object) => ({
    apiVersion,
    kind,
    metadata: { namespace: 'team', name: 'x' },
    ...more,
  })
  await pair.createWork('w', [
    inTeam('Service', 'v1', { spec: { ports: [{ port: 80 }] } }),
    inTeam('ConfigMap', 'v1', { data: {} }),
    inTeam('ServiceAccount', 'v1', {}),
    inTeam('Role', 'rbac.authorization.k8s.io/v1', { rules: [] }),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
  ])
  const work = await pair.whenApplied('w')
  assert.equal(manifestOf(work, 4)?.resourceMeta.kind, 'Namespace')
  const created = pair.spoke.requests
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => path.split('?')[0]?.split('/').at(-1))
  assert.deepEqual(created, [
    'appliedmanifestworks',
    'namespaces',
    'roles',
    'serviceaccounts',
    'configmaps',
    'services',
  ])
  assert.ok(pair.spoke.requests.every(({ status }) => status < 400))
})

const gadgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: inDefault('g'), spec: { size: 3 } }
const Gadget: Kind<DynamicObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  scope: 'Namespaced',
}

test('work order: a CRD and a custom resource can be in one work', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [gadget, gadgets])
  await pair.whenApplied('w')
  assert.deepEqual((await pair.spoke.client.get(Gadget, inDefault('g'))).spec, { size: 3 })
})

test('work order: waits for a CRD from elsewhere', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [gadget])
  await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  await pair.createWork('definitions', [gadgets])
  await pair.whenApplied('w')
})

test('work order: waits for a namespace from elsewhere, and for one that is being deleted', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  const held = { namespace: 'old', name: 'held' }
  await pair.spoke.client.create(Namespace, { metadata: { name: 'old' } })
  await pair.spoke.client.create(ConfigMap, { metadata: { ...held, finalizers: ['example.com/hold'] } })
  await pair.spoke.client.delete(Namespace, { name: 'old' })
  const agent = await pair.startAgent()
  await pair.createWork(
    'w',
    ['new', 'old'].map((namespace) => configMap('a', { x: '1' }, { namespace })),
  )
  await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  await eventually('it waits', () => agent.health.every(({ ready, running }) => ready + running === 0))
  const tries = pair.spoke.requests.filter(({ method, path }) => method === 'POST' && path.includes('/namespaces/old/'))
  assert.ok(tries.length <= 3, `${tries.length} tries`)
  await pair.spoke.client.create(Namespace, { metadata: { name: 'new' } })
  await pair.spoke.when(ConfigMap, { namespace: 'new', name: 'a' })
  await pair.spoke.client.patch(ConfigMap, held, { metadata: { finalizers: null } })
  await eventually('the old namespace is gone', async () => {
    clock.advance(1)
    return (await pair.spoke.client.find(Namespace, { name: 'old' })) === undefined
  })
  await pair.spoke.client.create(Namespace, { metadata: { name: 'old' } })
  await pair.whenApplied('w')
})

test('work order: does not apply complete manifests again', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: inDefault('once'),
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
  }
  const manifestConfigs: NonNullable<NewManifestWorkSpec['manifestConfigs']> = [
    {
      resourceIdentifier: { group: 'batch', resource: 'jobs', namespace: 'default', name: 'once' },
      conditionRules: [{ type: 'WellKnownConditions', condition: 'Complete' }],
    },
  ]
  await pair.createWork('w', [job, configMap('a', { x: '1' })], { manifestConfigs })
  await pair.whenApplied('w')
  const time = '2030-01-01T00:00:00Z'
  const conditions = [
    { type: 'SuccessCriteriaMet', status: 'True' },
    { type: 'Complete', status: 'True' },
  ]
  await pair.spoke.client.patch(
    Job,
    inDefault('once'),
    { status: { succeeded: 1, startTime: time, completionTime: time, conditions } },
    { subresource: 'status' },
  )
  await pair.whenWork(
    'w',
    ({ status }) => status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') ?? false,
  )
  await pair.spoke.client.delete(Job, inDefault('once'), { propagationPolicy: 'Background' })
  await pair.spoke.client.delete(ConfigMap, inDefault('a'))
  await pair.changeWork('w', { workload: { manifests: [job, configMap('a', { x: '2' })] } })
  await pair.createWork('later', [configMap('later', { x: '1' })])
  await pair.whenApplied('later')
  assert.equal(await pair.spoke.client.find(Job, inDefault('once')), undefined)
  assert.equal(await pair.spoke.client.find(ConfigMap, inDefault('a')), undefined)
})
