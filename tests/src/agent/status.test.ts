import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { ManifestWork, type NewManifestWorkSpec } from '@orrery/api'
import { ConfigMap, Deployment, Job, type JsonObject, Secret } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse } from '@orrery/kube/client'
import { FakeClock } from '@orrery/kube/testing'
import { ConnectionError } from '@orrery/kube/transport'
import { conditionTextsOf, manifestConditionTexts, statusWrites, valuesOf } from './statusreading.js'
import { CLUSTER, configMap, inDefault, isApplied, manifestOf, serve, WorkPair } from './work-pair.js'

const container = { name: 'app', image: 'registry.example.com/app:1' }
const wellKnown = { feedbackRules: [{ type: 'WellKnownStatus' as const }] }

const map = (name: string) => configMap(name, { a: '1' })

function deployment(name: string, replicas = 2) {
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [container] } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inDefault(name),
    spec: { replicas, selector: { matchLabels: labels }, template },
  }
}

function job(name: string) {
  const template = { spec: { containers: [container], restartPolicy: 'Never' } }
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: inDefault(name), spec: { template } }
}

type Config = NonNullable<NewManifestWorkSpec['manifestConfigs']>[number]

function config(group: string, resource: string, name: string, rest: Partial<Config>): Config {
  return { resourceIdentifier: { group, resource, name, namespace: 'default' }, ...rest }
}

/** Sets the status of a Deployment as its controller would. */
function setDeployed({ spoke }: WorkPair, name: string, ready: number, observedGeneration = 1): Promise<unknown> {
  const counts = { replicas: 2, updatedReplicas: 2, readyReplicas: ready, availableReplicas: ready }
  const status = { observedGeneration, ...counts }
  return spoke.client.patch(Deployment, inDefault(name), { status }, { subresource: 'status' })
}

function finish({ spoke }: WorkPair, name: string): Promise<unknown> {
  const time = '2030-01-01T00:00:00Z'
  const condition = (type: string) => ({ type, status: 'True', lastProbeTime: time, lastTransitionTime: time })
  const conditions = [condition('SuccessCriteriaMet'), condition('Complete')]
  const status = { startTime: time, completionTime: time, succeeded: 1, conditions } as unknown as JsonObject
  return spoke.client.patch(Job, inDefault(name), { status }, { subresource: 'status' })
}

/** A response that no server sent. */
function reply(status: number, body: object): HttpResponse {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = { 'content-type': 'application/json' }
  return { status, headers, body: Readable.from([bytes]), bytes: () => Promise.resolve(bytes) }
}

async function start(t: TestContext, features = {}): Promise<WorkPair> {
  const pair = await WorkPair.start(t)
  await pair.startAgent({ features })
  return pair
}

test('work status: reports an applied and available work in one write', async (t) => {
  const pair = await start(t)
  await pair.createWork(
    'maps',
    [1, 2, 3, 4, 5].map((n) => map(`map${n}`)),
  )
  const work = await pair.whenApplied('maps')
  assert.deepEqual(conditionTextsOf(work), {
    Applied: 'True AppliedManifestWorkComplete: Apply manifest work complete',
    Available: 'True ResourcesAvailable: All resources are available',
    Progressing: 'False Completed: All resources are ready',
    Degraded: 'False AsExpected: No resource is degraded',
  })
  assert.deepEqual(manifestConditionTexts(work, 4), {
    Applied: 'True AppliedManifestComplete: Apply manifest complete',
    Available: 'True ResourceAvailable: Resource is available',
    StatusFeedbackSynced: 'True NoStatusFeedbackSynced',
    Progressing: 'False Completed',
    Degraded: 'False AsExpected',
  })
  assert.equal(statusWrites(pair, 'maps'), 1)
})

test('work status: reports the status of a Deployment', async (t) => {
  const pair = await start(t)
  const manifestConfigs = [config('apps', 'deployments', 'web', wellKnown)]
  await pair.createWork('web', [deployment('web')], { manifestConfigs })
  const fresh = await pair.whenApplied('web')
  const unseen = 'Deployment default/web: its controller has not observed generation 1 yet'
  assert.equal(conditionTextsOf(fresh).Progressing, `True Applying: ${unseen}`)

  await setDeployed(pair, 'web', 1)
  const slow = await pair.whenWork('web', (work) => valuesOf(work).ReadyReplicas === 1)
  assert.deepEqual(valuesOf(slow), { ReadyReplicas: 1, Replicas: 2, AvailableReplicas: 1 })
  assert.match(conditionTextsOf(slow).Progressing ?? '', /1 of 2 replicas are available$/)

  await setDeployed(pair, 'web', 2)
  const ready = await pair.whenWork('web', (work) => valuesOf(work).ReadyReplicas === 2)
  assert.equal(conditionTextsOf(ready).Progressing, 'False Completed: All resources are ready')
})

test('work status: a new generation is not complete because the old one was', async (t) => {
  const pair = await start(t)
  await pair.createWork('web', [deployment('web')])
  await pair.whenApplied('web')
  await setDeployed(pair, 'web', 2)
  const old = await pair.whenWork('web', (work) => conditionTextsOf(work).Progressing?.startsWith('False') === true)
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ ...container, image: 'app:2' }] } }
  const next = deployment('web')
  await pair.changeWork('web', { workload: { manifests: [{ ...next, spec: { ...next.spec, template } }] } })
  const { resourceVersion } = old.metadata
  const seen: string[] = []
  for await (const event of pair.hub.client.watch(ManifestWork, { namespace: CLUSTER, resourceVersion })) {
    if (event.type === 'BOOKMARK') continue
    const progressing = findCondition(event.object.status?.conditions, 'Progressing')
    if (progressing?.observedGeneration !== 2) continue
    seen.push(progressing.status)
    if (seen.length === 1) await setDeployed(pair, 'web', 2, 2)
    if (progressing.status === 'False') break
  }
  assert.deepEqual(seen, ['True', 'False'])
})

test('work status: reads JSONPaths anywhere in the object, for all objects of a wildcard', async (t) => {
  const pair = await start(t)
  const jsonPaths = [
    { name: 'a', path: '.data.a' },
    { name: 'frozen', path: '.immutable' },
    { name: 'missing', path: '.data.missing' },
  ]
  const identifier = { group: '', resource: 'configmaps' }
  await pair.createWork('maps', [map('one'), { ...map('other'), immutable: true }], {
    manifestConfigs: [
      { resourceIdentifier: { ...identifier, name: 'o*', namespace: 'def*' }, feedbackScrapeType: 'Watch' },
      {
        resourceIdentifier: { ...identifier, name: '*', namespace: '*' },
        feedbackRules: [{ type: 'JSONPaths', jsonPaths }],
      },
    ],
  })
  const work = await pair.whenApplied('maps')
  assert.deepEqual(valuesOf(work, 0), { a: '1' })
  assert.deepEqual(valuesOf(work, 1), { a: '1', frozen: true })
})

test('work status: reports whole statuses as JSON with RawFeedbackJsonString, and rejects them without', async (t) => {
  const jsonPaths = [{ name: 'all', path: '.data' }]
  const manifestConfigs = [config('', 'configmaps', 'map', { feedbackRules: [{ type: 'JSONPaths', jsonPaths }] })]
  const open = await start(t, { RawFeedbackJsonString: true })
  await open.createWork('raw', [configMap('map', { b: '2', a: '1' })], { manifestConfigs })
  const [value] = manifestOf(await open.whenApplied('raw'), 0)?.statusFeedback?.values ?? []
  assert.deepEqual(value?.fieldValue, { type: 'JsonRaw', jsonRaw: '{"a":"1","b":"2"}' })

  const closed = await start(t)
  await closed.createWork('raw', [map('map')], { manifestConfigs })
  const refused = await closed.whenApplied('raw')
  assert.deepEqual(valuesOf(refused), {})
  assert.equal(
    manifestConditionTexts(refused).StatusFeedbackSynced,
    'False StatusFeedbackSyncFailed: Sync status feedback failed with error ' +
      'the type map[string]interface {} of the value for all is not found',
  )
})

test('work status: condition rules set conditions on manifests and works, and removed rules remove them', async (t) => {
  const pair = await start(t)
  const rule = (condition: string, source: string, rest = {}) => ({
    condition,
    type: 'CEL' as const,
    celExpressions: [source],
    ...rest,
  })
  const conditionRules = [
    rule('Ready', 'object.data.a == "1"', { messageExpression: '"a is " + object.data.a' }),
    rule('Broken', 'object.data.nothing == "1"'),
    rule('Progressing', 'hasConditions(object)'),
  ]
  const manifestConfigs = [config('', 'configmaps', 'map', { conditionRules })]
  await pair.createWork('ruled', [map('map')], { manifestConfigs })
  const ruled = await pair.whenApplied('ruled')
  assert.equal(manifestConditionTexts(ruled).Ready, 'True ConditionRuleEvaluated: a is 1')
  assert.equal(manifestConditionTexts(ruled).Broken, 'False ConditionRuleExpressionError: no such key: nothing')
  assert.deepEqual(conditionTextsOf(ruled), {
    Applied: 'True AppliedManifestWorkComplete: Apply manifest work complete',
    Available: 'True ResourcesAvailable: All resources are available',
    Ready: 'True ConditionRulesAggregated: a is 1',
    Broken: 'False ConditionRulesAggregated: no such key: nothing',
    Progressing: 'False ConditionRulesAggregated: Manifest is not Progressing',
    Degraded: 'False AsExpected: No resource is degraded',
  })
  await pair.changeWork('ruled', { manifestConfigs: null })
  const plain = await pair.whenApplied('ruled')
  assert.deepEqual(Object.keys(conditionTextsOf(plain)).sort(), ['Applied', 'Available', 'Degraded', 'Progressing'])
  assert.equal(conditionTextsOf(plain).Progressing, 'False Completed: All resources are ready')
})

test('work status: a finished Job completes its work, also for an agent that starts later', async (t) => {
  const pair = await WorkPair.start(t)
  const first = await pair.startAgent()
  const conditionRules = [{ condition: 'Complete', type: 'WellKnownConditions' as const }]
  const manifestConfigs = [config('batch', 'jobs', 'task', { ...wellKnown, conditionRules })]
  await pair.createWork('task', [job('task'), map('input')], { manifestConfigs })
  const running = await pair.whenApplied('task')
  assert.equal(conditionTextsOf(running).Complete, 'False ConditionRulesAggregated: Job is not finished')
  await finish(pair, 'task')
  const done = await pair.whenWork('task', ({ status }) => isConditionTrue(status?.conditions, 'Complete'))
  assert.deepEqual(valuesOf(done), { JobComplete: 'True', JobSucceeded: 1 })
  assert.equal(conditionTextsOf(done).Progressing, 'False Completed: All resources are ready')

  await first.close()
  await pair.spoke.client.delete(Job, inDefault('task'), { propagationPolicy: 'Background' })
  await pair.startAgent()
  const gone = await pair.whenWork('task', ({ status }) => !isConditionTrue(status?.conditions, 'Available'))
  assert.equal(conditionTextsOf(gone).Complete, 'True ConditionRulesAggregated: Job is finished')
  assert.equal(conditionTextsOf(gone).Available, 'False ResourcesNotAvailable: 1 of 2 resources are not available')
  assert.equal(await pair.spoke.client.find(Job, inDefault('task')), undefined)
})

test('work status: a ReadOnly object is available if it exists', async (t) => {
  const pair = await start(t)
  const isAvailable = ({ status }: ManifestWork) => isConditionTrue(status?.conditions, 'Available')
  const manifestConfigs = [config('', 'configmaps', 'theirs', { updateStrategy: { type: 'ReadOnly' } })]
  await pair.createWork('look', [map('theirs')], { manifestConfigs })
  const absent = await pair.whenApplied('look')
  assert.equal(manifestConditionTexts(absent).Available, 'False ResourceNotAvailable: Resource is not available')
  assert.match(conditionTextsOf(absent).Progressing ?? '', /^True Applying: ConfigMap default\/theirs/)
  await pair.spoke.client.create(ConfigMap, { metadata: inDefault('theirs') })
  await pair.whenWork('look', isAvailable)
  await pair.spoke.client.delete(ConfigMap, inDefault('theirs'))
  await pair.whenWork('look', (work) => !isAvailable(work))
})

test('work status: reports a manifest that cannot be applied, and the others are applied', async (t) => {
  const pair = await start(t)
  const lost = { ...map('lost'), metadata: { name: 'lost', namespace: 'nowhere' } }
  const strange = { apiVersion: 'example.com/v1', kind: 'Strange', metadata: inDefault('x') }
  await pair.createWork('mixed', [lost, map('fine'), strange])
  const work = await pair.whenWork('mixed', ({ status }) => findCondition(status?.conditions, 'Applied') !== undefined)
  const { Applied, Available, Progressing, Degraded } = conditionTextsOf(work)
  assert.match(Applied ?? '', /^False AppliedManifestWorkFailed: Failed to apply manifest work: 2 of 3 manifests: /)
  assert.match(Applied ?? '', /ConfigMap nowhere\/lost: .*Strange default\/x: /)
  assert.equal(Available, 'False ResourcesNotAvailable: 1 of 3 resources are not available')
  assert.match(Progressing ?? '', /^True Failed/)
  assert.match(Degraded ?? '', /^True Failed/)
  assert.equal(manifestConditionTexts(work, 2).Available, 'Unknown IncompleteResourceMeta: Resource meta is incomplete')
  assert.match(manifestConditionTexts(work, 1).Applied ?? '', /^True/)
})

/** Rejects requests of the agent as a server does without permission. */
function forbid({ spoke }: WorkPair, isForbidden: (request: HttpRequest) => boolean): void {
  const message = 'secrets is forbidden'
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message }
  spoke.fault = (request) => (isForbidden(request) ? Promise.resolve(reply(403, status)) : undefined)
}

/** The work as soon as it matches, while the clock advances. */
function whenSoonSo(
  pair: WorkPair,
  clock: FakeClock,
  holds: (work: ManifestWork) => boolean,
  step = 100,
): Promise<ManifestWork> {
  return pair.whenWork('work', (work) => {
    clock.advance(step)
    return holds(work)
  })
}

const hidden = { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('hidden') }

test('work status: reports what the agent may not read', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  forbid(pair, ({ method, path }) => method === 'GET' && path.includes('/secrets'))
  await pair.startAgent()
  const manifestConfigs = [config('', 'secrets', 'hidden', { updateStrategy: { type: 'ReadOnly' } })]
  await pair.createWork('work', [hidden], { manifestConfigs })
  const work = await whenSoonSo(pair, clock, isApplied)
  assert.match(
    manifestConditionTexts(work).Available ?? '',
    /^Unknown FetchingResourceFailed: Failed to fetch resource: /,
  )
  assert.match(
    conditionTextsOf(work).Available ?? '',
    /^Unknown ResourcesStatusUnknown: 1 of 1 resources have unknown status/,
  )
  assert.match(conditionTextsOf(work).Progressing ?? '', /^Unknown ResourcesStatusUnknown: Secret default\/hidden: /)
})

test('work status: reports objects that the agent may read but not watch as soon as they are applied', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  forbid(pair, ({ path }) => /\/secrets(\?|$)/.test(path) && !path.includes('fieldManager'))
  const before = clock.now().getTime()
  await pair.startAgent()
  await pair.createWork('work', [hidden])
  const work = await whenSoonSo(pair, clock, isApplied)
  assert.equal(conditionTextsOf(work).Available, 'True ResourcesAvailable: All resources are available')
  assert.ok(clock.now().getTime() - before < 15_000)
})

test('work status: reports to a hub soon after a long outage', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  await pair.startAgent()
  await pair.createWork('work', [deployment('web')], {
    manifestConfigs: [config('apps', 'deployments', 'web', wellKnown)],
  })
  await pair.whenApplied('work')
  let refused = 0
  pair.hub.fault = ({ method }) => {
    if (method === 'GET') return undefined
    refused++
    return Promise.reject(new ConnectionError('connection refused', { code: 'ECONNREFUSED', sent: false }))
  }
  await setDeployed(pair, 'web', 2)
  const away = clock.now().getTime()
  await whenSoonSo(pair, clock, () => clock.now().getTime() - away > 300_000, 1_000)
  pair.hub.fault = undefined
  const back = clock.now().getTime()
  await whenSoonSo(pair, clock, (work) => valuesOf(work).ReadyReplicas === 2, 1_000)
  assert.ok(clock.now().getTime() - back < 60_000)
  assert.ok(refused < 60, `${refused} tries`)
})

test('work status: judges custom resources by their conditions', async (t) => {
  const pair = await start(t)
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const properties = { status: anything }
  const schema = { openAPIV3Schema: { type: 'object', properties } }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  const names = { plural: 'widgets', kind: 'Widget' }
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] }
  const definition = { metadata: { name: 'widgets.example.com' }, spec }
  await serve(pair.spoke, [definition])
  const Widget = { ...names, group: 'example.com', version: 'v1', scope: 'Namespaced' } as const
  await pair.createWork('widget', [{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: inDefault('w') }])
  await pair.whenApplied('widget')
  const say = (type: string, status: string, message: string) => {
    const conditions = [{ type, status, message }]
    return pair.spoke.client.patch(Widget, inDefault('w'), { status: { conditions } }, { subresource: 'status' })
  }
  const progress = (text: string) => pair.whenWork('widget', (work) => conditionTextsOf(work).Progressing === text)
  await say('Ready', 'False', 'warming up')
  await progress('True Applying: Widget default/w: Ready is False: warming up')
  await say('Ready', 'True', '')
  await progress('False Completed: All resources are ready')
  await say('Stalled', 'True', 'no such part')
  const stalled = await progress('True Failed: Widget default/w: Stalled is True: no such part')
  assert.equal(conditionTextsOf(stalled).Degraded, 'True Failed: Widget default/w: Stalled is True: no such part')
})

test('work status: many changes of one work in a moment cause one write', async (t) => {
  const pair = await start(t)
  const names = Array.from({ length: 10 }, (_, index) => `map${index}`)
  const jsonPaths = [{ name: 'state', path: '.metadata.labels.state' }]
  const manifestConfigs = [config('', 'configmaps', '*', { feedbackRules: [{ type: 'JSONPaths', jsonPaths }] })]
  await pair.createWork('burst', names.map(map), { manifestConfigs })
  await pair.whenApplied('burst')
  const before = statusWrites(pair, 'burst')
  const patch = { metadata: { labels: { state: 'changed' } } }
  await Promise.all(names.map((name) => pair.spoke.client.patch(ConfigMap, inDefault(name), patch)))
  await pair.whenWork('burst', (work) => names.every((_, ordinal) => valuesOf(work, ordinal).state === 'changed'))
  assert.equal(statusWrites(pair, 'burst') - before, 1)
})

test('work status: corrects a status that others changed, and does not write a correct one', async (t) => {
  const pair = await WorkPair.start(t)
  const first = await pair.startAgent()
  await pair.createWork('work', [map('map')])
  await pair.whenApplied('work')
  const ref = { namespace: CLUSTER, name: 'work' }
  await pair.hub.client.patch(ManifestWork, ref, { metadata: { labels: { team: 'blue' } } })
  await first.close()
  await pair.startAgent()
  await pair.hub.client.patch(ManifestWork, ref, { status: { conditions: [] } }, { subresource: 'status' })
  await pair.whenApplied('work')
  assert.equal(statusWrites(pair, 'work'), 2)
})

test('work status: feedback reports only the requested values of a Secret', async (t) => {
  const pair = await start(t)
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: inDefault('token'),
    stringData: { token: 'very-secret' },
  }
  const jsonPaths = [{ name: 'type', path: '.type' }]
  const manifestConfigs = [config('', 'secrets', 'token', { feedbackRules: [{ type: 'JSONPaths', jsonPaths }] })]
  await pair.createWork('secret', [secret], { manifestConfigs })
  const work = await pair.whenApplied('secret')
  assert.deepEqual(valuesOf(work), { type: 'Opaque' })
  const { data } = await pair.spoke.client.get(Secret, inDefault('token'))
  assert.ok(!JSON.stringify(work.status).includes(data?.token ?? 'nothing'))
})
