import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewManifestWorkSpec } from '@orrery/api'
import { type ApiObject, ConfigMap, DaemonSet, Deployment, Job, type JsonObject, type Kind, Pod } from '@orrery/kinds'
import { conditionTextsOf, manifestConditionTexts, valuesOf } from './statusreading.js'
import { configMap, inDefault, manifestOf, WorkPair } from './work-pair.js'

type Config = NonNullable<NewManifestWorkSpec['manifestConfigs']>[number]

const labels = { app: 'x' }
const pod = { containers: [{ name: 'c', image: 'i' }] }
const template = { metadata: { labels }, spec: pod }
const selector = { matchLabels: labels }
const manifest = (apiVersion: string, kind: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: inDefault('x'),
  spec,
})
const about = (group: string, resource: string, rest: Partial<Config>): Config => ({
  resourceIdentifier: { group, resource, name: 'x', namespace: 'default' },
  ...rest,
})
const condition = (type: string) => ({ type, status: 'True', lastProbeTime: TIME, lastTransitionTime: TIME })
const TIME = '2030-01-01T00:00:00Z'

interface WellKnown {
  readonly kind: Kind<ApiObject, object>
  readonly manifest: object
  /** The status of the object on the cluster. */
  readonly status: object
  readonly values: Record<string, unknown>
}

/** Every kind with well-known statuses. */
const WELL_KNOWN: readonly WellKnown[] = [
  {
    kind: Deployment,
    manifest: manifest('apps/v1', 'Deployment', { selector, template }),
    status: { replicas: 3, readyReplicas: 2, availableReplicas: 1 },
    values: { ReadyReplicas: 2, Replicas: 3, AvailableReplicas: 1 },
  },
  {
    kind: DaemonSet,
    manifest: manifest('apps/v1', 'DaemonSet', { selector, template }),
    status: {
      numberReady: 1,
      desiredNumberScheduled: 3,
      numberAvailable: 2,
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
    },
    values: { NumberReady: 1, DesiredNumberScheduled: 3, NumberAvailable: 2 },
  },
  {
    kind: Job,
    manifest: manifest('batch/v1', 'Job', { template: { spec: { ...pod, restartPolicy: 'Never' } } }),
    status: {
      succeeded: 1,
      startTime: TIME,
      completionTime: TIME,
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    },
    values: { JobComplete: 'True', JobSucceeded: 1 },
  },
  {
    kind: Pod,
    manifest: manifest('v1', 'Pod', pod),
    status: { phase: 'Running', conditions: [condition('Ready')] },
    values: { PodReady: 'True', PodPhase: 'Running' },
  },
]

test('feedback: reports the well-known statuses of a kind', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const feedbackRules = [{ type: 'WellKnownStatus' as const }]
  const manifestConfigs = WELL_KNOWN.map(({ kind }) => about(kind.group, kind.plural, { feedbackRules }))
  await pair.createWork(
    'w',
    WELL_KNOWN.map((one) => one.manifest),
    { manifestConfigs },
  )
  await pair.whenApplied('w')
  for (const { kind, status } of WELL_KNOWN) {
    await pair.spoke.client.patch(kind, inDefault('x'), { status } as JsonObject, { subresource: 'status' })
  }
  for (const [ordinal, { kind, values }] of WELL_KNOWN.entries()) {
    const names = Object.keys(values)
    const work = await pair.whenWork('w', (work) =>
      names.every((name) => valuesOf(work, ordinal)[name] === values[name]),
    )
    assert.deepEqual(valuesOf(work, ordinal), values, kind.kind)
    assert.equal(manifestConditionTexts(work, ordinal).StatusFeedbackSynced, 'True StatusFeedbackSynced')
  }
})

test('feedback: reports that other kinds have no well-known statuses', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const manifestConfigs = [about('apps', 'statefulsets', { feedbackRules: [{ type: 'WellKnownStatus' }] })]
  const statefulSet = manifest('apps/v1', 'StatefulSet', { selector, template, serviceName: 'x' })
  await pair.createWork('w', [statefulSet], { manifestConfigs })
  assert.equal(
    manifestConditionTexts(await pair.whenApplied('w')).StatusFeedbackSynced,
    'False StatusFeedbackSyncFailed: Sync status feedback failed with error ' +
      'cannot find the wellknown statuses for resource with gvk apps/v1, Kind=StatefulSet',
  )
})

const PATHS = [
  { name: 'text', path: '.data.text' },
  { name: 'yes', path: '.immutable' },
  { name: 'number', path: '.metadata.generation' },
  { name: 'all', path: '.data' },
  { name: 'missing', path: '.data.missing' },
  { name: 'old', path: '.data.text', version: 'v1beta1' },
  { name: 'broken', path: '.data[' },
]
const deploymentPaths = [
  { name: 'replicas', path: '.spec.replicas', version: 'v1' },
  { name: 'several', path: '.spec.template.spec.containers[*].name' },
]

for (const [what, features, ofMap, ofDeployment] of [
  ['as far as their type allows', {}, { text: 'a', yes: true }, { replicas: 7, several: 'c' }],
  [
    'of any type with RawFeedbackJsonString',
    { RawFeedbackJsonString: true },
    { text: 'a', yes: true, all: { text: 'a', other: 'b' } },
    { replicas: 7, several: ['c', 'd'] },
  ],
] as const) {
  test(`feedback: reports values of JSONPaths, ${what}`, async (t) => {
    const pair = await WorkPair.start(t)
    await pair.startAgent({ features })
    const manifestConfigs = [
      about('', 'configmaps', { feedbackRules: [{ type: 'JSONPaths', jsonPaths: PATHS }] }),
      about('apps', 'deployments', { feedbackRules: [{ type: 'JSONPaths', jsonPaths: deploymentPaths }] }),
    ]
    const map = { ...configMap('x', { text: 'a', other: 'b' }), immutable: true }
    const containers = [...pod.containers, { name: 'd', image: 'i' }]
    const two = { ...template, spec: { containers } }
    const deployment = manifest('apps/v1', 'Deployment', { replicas: 7, selector, template: two })
    await pair.createWork('w', [map, deployment], { manifestConfigs })
    const work = await pair.whenApplied('w')
    assert.deepEqual(valuesOf(work, 0), ofMap)
    assert.deepEqual(valuesOf(work, 1), ofDeployment)
    const [value] = manifestOf(work, 1)?.statusFeedback?.values ?? []
    assert.deepEqual(value?.fieldValue, { type: 'Integer', integer: 7 })
    const { StatusFeedbackSynced = '' } = manifestConditionTexts(work, 0)
    assert.match(StatusFeedbackSynced, /^False StatusFeedbackSyncFailed: /)
    assert.match(StatusFeedbackSynced, /version set in the path old is not matched/)
    assert.match(StatusFeedbackSynced, /failed to parse json path \.data\[ of broken/)
  })
}

test("feedback: omits JSON beyond the hub's limit, whatever the agent's option", async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent({ features: { RawFeedbackJsonString: true }, options: { maxJsonRawLength: 100_000 } })
  const jsonPaths = [
    { name: 'all', path: '.data' },
    { name: 'name', path: '.metadata.name' },
  ]
  const manifestConfigs = [about('', 'configmaps', { feedbackRules: [{ type: 'JSONPaths', jsonPaths }] })]
  await pair.createWork('w', [configMap('x', { long: 'x'.repeat(2_000) })], { manifestConfigs })
  const work = await pair.whenApplied('w')
  assert.deepEqual(valuesOf(work), { name: 'x' })
  assert.match(
    manifestConditionTexts(work).StatusFeedbackSynced ?? '',
    /for name all is larger than the maximum length 1024/,
  )
})

for (const feedbackScrapeType of ['Poll', 'Watch'] as const) {
  test(`feedback: reports changes at once with ${feedbackScrapeType}`, async (t) => {
    const pair = await WorkPair.start(t)
    await pair.startAgent()
    const feedbackRules = [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'mood', path: '.metadata.labels.mood' }] }]
    await pair.createWork('w', [configMap('x', {})], {
      manifestConfigs: [about('', 'configmaps', { feedbackRules, feedbackScrapeType })],
    })
    await pair.whenApplied('w')
    await pair.spoke.client.patch(ConfigMap, inDefault('x'), { metadata: { labels: { mood: 'good' } } })
    await pair.whenWork('w', (work) => valuesOf(work).mood === 'good')
  })
}

const rule = (name: string, expression: string, rest = {}) => ({
  condition: name,
  type: 'CEL' as const,
  celExpressions: [expression],
  ...rest,
})

test('condition rules: aggregates conditions of several objects', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const conditionRules = [
    rule('Ready', 'object.data.ready == "yes"', { message: 'ready is set in the data' }),
    rule('Progressing', 'object.data.ready != "yes"'),
    rule('Odd', 'object.data.'),
    rule('Good', 'true', { messageExpression: '"it is " + string(result)' }),
  ]
  const resourceIdentifier = { group: '', resource: 'configmaps', name: '*', namespace: 'default' }
  const maps = [configMap('a', { ready: 'yes' }), configMap('b', { ready: 'no' })]
  await pair.createWork('w', maps, { manifestConfigs: [{ resourceIdentifier, conditionRules }] })
  const work = await pair.whenApplied('w')
  assert.equal(manifestConditionTexts(work, 0).Ready, 'True ConditionRuleEvaluated: ready is set in the data')
  assert.equal(manifestConditionTexts(work, 1).Ready, 'False ConditionRuleEvaluated: ready is set in the data')
  assert.equal(manifestConditionTexts(work, 1).Good, 'True ConditionRuleEvaluated: it is true')
  assert.match(manifestConditionTexts(work, 0).Odd ?? '', /^False ConditionRuleExpressionError: ERROR/)
  const { Ready, Progressing, Odd, Good } = conditionTextsOf(work)
  const together = 'ConditionRulesAggregated: Aggregated from 2 manifest conditions'
  assert.deepEqual(
    { Ready, Progressing, Odd, Good },
    { Ready: `False ${together}`, Progressing: `True ${together}`, Odd: `False ${together}`, Good: `True ${together}` },
  )
})

test('condition rules: a finished pod completes its work', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const conditionRules = [{ condition: 'Complete', type: 'WellKnownConditions' as const }]
  const manifestConfigs = [about('', 'pods', { conditionRules }), about('', 'configmaps', { conditionRules })]
  await pair.createWork('w', [manifest('v1', 'Pod', pod), configMap('x', {})], { manifestConfigs })
  await pair.whenWork('w', (work) => conditionTextsOf(work).Complete?.endsWith('Pod is in phase Pending') === true)
  await pair.spoke.client.patch(Pod, inDefault('x'), { status: { phase: 'Failed' } }, { subresource: 'status' })
  const work = await pair.whenWork('w', (work) => conditionTextsOf(work).Complete?.startsWith('True') === true)
  assert.equal(conditionTextsOf(work).Complete, 'True ConditionRulesAggregated: Pod is in phase Failed')
  assert.equal(manifestConditionTexts(work, 1).Complete, undefined)
})

test('condition rules: the hub rejects unknown rules', async (t) => {
  const pair = await WorkPair.start(t)
  const refused = (rest: object) =>
    pair.createWork('w', [configMap('x', {})], { manifestConfigs: [about('', 'configmaps', rest)] })
  await assert.rejects(
    refused({ conditionRules: [{ condition: 'A', type: 'Tarot' }] }),
    /conditionRules.*Unsupported value/,
  )
  await assert.rejects(refused({ conditionRules: [rule('', 'true')] }), /Condition is required for CEL rules/)
  await assert.rejects(refused({ feedbackRules: [{ type: 'Tarot' }] }), /feedbackRules.*Unsupported value/)
  await assert.rejects(refused({ feedbackScrapeType: 'Never' }), /feedbackScrapeType.*Unsupported value/)
  await assert.rejects(refused({ updateStrategy: { type: 'Never' } }), /updateStrategy.*Unsupported value/)
  const serverSideApply = { fieldManager: 'somebody' }
  await assert.rejects(
    refused({ updateStrategy: { type: 'ServerSideApply', serverSideApply } }),
    /fieldManager.*work-agent/,
  )
})
