import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionRule, FeedbackRule, ManifestWork } from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { semanticEqual } from '@orrery/kube/write'
import fc from 'fast-check'
import {
  conditionTexts,
  LATER,
  NOW,
  objectOf,
  optionsFor,
  outcomeOf,
  type Part,
  reported,
  workOf,
} from './testing.fixture.js'
import { workStatusOf } from './work.js'

const configMap = objectOf('v1', 'ConfigMap', { data: { a: 'b' } })
const slowDeployment = objectOf('apps/v1', 'Deployment', {
  metadata: { generation: 1 },
  spec: { replicas: 2 },
  status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
})
const readyDeployment = {
  ...slowDeployment,
  status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
}
const complete: ConditionRule = { condition: 'Complete', type: 'WellKnownConditions' }
const progressing = (source: string): ConditionRule => ({
  condition: 'Progressing',
  type: 'CEL',
  celExpressions: [source],
})

function conditionsOf(work: ManifestWork): Record<string, string> {
  return conditionTexts(work.status?.conditions)
}

function manifestOf(work: ManifestWork, ordinal = 0) {
  return work.status?.resourceStatus?.manifests?.[ordinal]
}

function nextGeneration(work: ManifestWork, fields: Partial<ManifestWork> = {}): ManifestWork {
  const generation = (work.metadata.generation ?? 0) + 1
  return { ...work, ...fields, metadata: { ...work.metadata, generation } }
}

test('workStatusOf: reports a work whose objects are ready', () => {
  const parts = [
    { object: configMap },
    { object: readyDeployment, feedbackRules: [{ type: 'WellKnownStatus' as const }] },
  ]
  const work = reported(workOf(parts), parts)
  assert.deepEqual(conditionsOf(work), {
    Applied: 'True AppliedManifestWorkComplete: Apply manifest work complete',
    Available: 'True ResourcesAvailable: All resources are available',
    Progressing: 'False Completed: All resources are ready',
    Degraded: 'False AsExpected: No resource is degraded',
  })
  for (const { observedGeneration } of work.status?.conditions ?? []) assert.equal(observedGeneration, 1)
  assert.deepEqual(manifestOf(work, 1)?.resourceMeta, {
    ordinal: 1,
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    resource: 'deployments',
    name: 'web',
    namespace: 'default',
  })
  assert.deepEqual(conditionTexts(manifestOf(work, 1)?.conditions), {
    Applied: 'True AppliedManifestComplete: Apply manifest complete',
    Available: 'True ResourceAvailable: Resource is available',
    StatusFeedbackSynced: 'True StatusFeedbackSynced',
    Progressing: 'False Completed',
    Degraded: 'False AsExpected',
  })
  assert.equal(manifestOf(work, 1)?.statusFeedback?.values?.length, 3)
})

test('workStatusOf: names objects that are not ready', () => {
  const failedJob = objectOf('batch/v1', 'Job', {
    metadata: { name: 'init' },
    status: { conditions: [{ type: 'Failed', status: 'True', message: 'gave up' }] },
  })
  const parts = [{ object: slowDeployment }, { object: failedJob }, { object: configMap }]
  const { Progressing, Degraded } = conditionsOf(reported(workOf(parts), parts))
  assert.equal(
    Progressing,
    'True Failed: Deployment default/web: 1 of 2 replicas are available; Job default/init: Failed is True: gave up',
  )
  assert.equal(Degraded, 'True Failed: Job default/init: Failed is True: gave up')
})

test('workStatusOf: names a manifest that could not be applied, and counts it as failed', () => {
  const applied = { status: 'False' as const, reason: 'AppliedManifestFailed', message: 'Failed to apply manifest: no' }
  const observation = { state: 'absent' } as const
  const parts: Part[] = [{ object: configMap }, { object: readyDeployment, applied, observation }]
  const work = reported(workOf(parts), parts)
  assert.deepEqual(conditionsOf(work), {
    Applied:
      'False AppliedManifestWorkFailed: Failed to apply manifest work: 1 of 2 manifests: ' +
      'Deployment default/web: Failed to apply manifest: no',
    Available: 'False ResourcesNotAvailable: 1 of 2 resources are not available',
    Progressing: 'True Failed: Deployment default/web: The manifest could not be applied',
    Degraded: 'True Failed: Deployment default/web: The manifest could not be applied',
  })
})

test('workStatusOf: reports the availability of each object', () => {
  const observations = [
    [{ state: 'absent' }, 'False ResourceNotAvailable: Resource is not available'],
    [{ state: 'unnamed' }, 'Unknown IncompleteResourceMeta: Resource meta is incomplete'],
    [{ state: 'failed', message: 'forbidden' }, 'Unknown FetchingResourceFailed: Failed to fetch resource: forbidden'],
  ] as const
  for (const [observation, expected] of observations) {
    const parts = [{ object: configMap, observation }]
    assert.equal(conditionTexts(manifestOf(reported(workOf(parts), parts))?.conditions).Available, expected)
  }
})

test('workStatusOf: waits until the latest generation is applied and its objects are observed', () => {
  const parts: Part[] = [{ object: configMap }]
  const work = workOf(parts)
  assert.equal(workStatusOf(work, undefined, optionsFor(parts)), undefined)
  assert.equal(workStatusOf(nextGeneration(work), outcomeOf(parts, 1), optionsFor(parts)), undefined)
  assert.equal(workStatusOf(work, { ...outcomeOf(parts), uid: 'other' }, optionsFor(parts)), undefined)
  const awaited = [{ object: configMap, observation: null }]
  assert.equal(workStatusOf(work, outcomeOf(awaited), optionsFor(awaited)), undefined)
})

test('workStatusOf: waits for an object that was just written, and reports its absence once it was observed', () => {
  const applied = { resourceVersion: '10' }
  const coming: Part[] = [{ object: configMap, applied, observation: { state: 'absent' } }]
  assert.equal(workStatusOf(workOf(coming), outcomeOf(coming), optionsFor(coming)), undefined)
  const there = [{ object: configMap, applied }]
  const gone = reported(reported(workOf(there), there), coming)
  assert.equal(conditionsOf(gone).Available, 'False ResourcesNotAvailable: 1 of 1 resources are not available')
})

test('workStatusOf: lastTransitionTime changes with the status, and with the generation where it starts over', () => {
  const parts = [{ object: slowDeployment }]
  const before = reported(workOf(parts), parts)
  const ready = [{ object: readyDeployment }]
  const after = reported(before, ready, LATER)
  const timeOf = (work: ManifestWork, type: string) => findCondition(work.status?.conditions, type)?.lastTransitionTime
  assert.equal(timeOf(after, 'Progressing'), '2030-01-01T01:00:00Z')
  assert.equal(timeOf(after, 'Applied'), '2030-01-01T00:00:00Z')
  const next = reported(nextGeneration(before), parts, LATER)
  assert.equal(timeOf(next, 'Progressing'), '2030-01-01T01:00:00Z')
  assert.equal(timeOf(next, 'Available'), '2030-01-01T00:00:00Z')
  const applied = findCondition(manifestOf(next)?.conditions, 'Applied')
  assert.deepEqual([applied?.observedGeneration, applied?.lastTransitionTime], [2, '2030-01-01T01:00:00Z'])
})

test('workStatusOf: lastTransitionTime of feedback changes with its values', () => {
  const feedbackRules = [{ type: 'WellKnownStatus' as const }]
  const timeOf = (work: ManifestWork) =>
    findCondition(manifestOf(work)?.conditions, 'StatusFeedbackSynced')?.lastTransitionTime
  const slow = [{ object: slowDeployment, feedbackRules }]
  const work = reported(workOf(slow), slow)
  assert.equal(timeOf(reported(work, slow, LATER)), '2030-01-01T00:00:00Z')
  assert.equal(timeOf(reported(work, [{ object: readyDeployment, feedbackRules }], LATER)), '2030-01-01T01:00:00Z')
})

test('workStatusOf: a rule for Progressing takes precedence for the whole work', () => {
  const other = { ...slowDeployment, metadata: { ...slowDeployment.metadata, name: 'other' } }
  const parts = [{ object: slowDeployment, conditionRules: [progressing('false')] }, { object: other }]
  const work = reported(workOf(parts), parts)
  assert.equal(conditionsOf(work).Progressing, 'False ConditionRulesAggregated: Manifest is not Progressing')
  assert.equal(conditionsOf(work).Degraded, 'False AsExpected: No resource is degraded')
  assert.equal(conditionTexts(manifestOf(work, 1)?.conditions).Progressing, undefined)
})

test('workStatusOf: a rule can define Available', () => {
  const rule: ConditionRule = { condition: 'Available', type: 'CEL', celExpressions: ['false'], message: 'not yet' }
  const parts = [{ object: configMap, conditionRules: [rule] }]
  const work = reported(workOf(parts), parts)
  assert.equal(conditionTexts(manifestOf(work)?.conditions).Available, 'False ConditionRuleEvaluated: not yet')
  assert.equal(conditionsOf(work).Available, 'False ResourcesNotAvailable: 1 of 1 resources are not available')
  assert.ok(semanticEqual(reported(work, parts, LATER).status, work.status))
})

test('workStatusOf: removes conditions of rules that no longer exist', () => {
  const ruled = [{ object: slowDeployment, conditionRules: [progressing('true'), complete] }]
  const work = reported(workOf(ruled), ruled)
  assert.match(conditionsOf(work).Progressing ?? '', /ConditionRulesAggregated/)
  const plain = [{ object: slowDeployment }]
  const after = reported(nextGeneration(workOf(plain), { status: work.status ?? {} }), plain)
  assert.equal(
    conditionTexts(manifestOf(after)?.conditions).Progressing,
    'True Applying: 1 of 2 replicas are available',
  )
  assert.match(conditionsOf(after).Progressing ?? '', /^True Applying/)
})

test('workStatusOf: keeps conditions of others', () => {
  const deleting = { type: 'Deleting', status: 'True' as const, reason: 'WorkDeleting', message: '' }
  const conditions = [{ ...deleting, lastTransitionTime: '2029-01-01T00:00:00Z' }]
  const parts = [{ object: configMap }]
  const work = reported(workOf(parts, { status: { conditions } }), parts)
  assert.equal(conditionsOf(work).Deleting, 'True WorkDeleting')
})

test('workStatusOf: a complete Job stays complete when it is deleted, with its feedback', () => {
  const job = objectOf('batch/v1', 'Job', {
    status: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] },
  })
  const rules = { feedbackRules: [{ type: 'WellKnownStatus' as const }], conditionRules: [complete] }
  const done = reported(workOf([{ object: job, ...rules }]), [{ object: job, ...rules }])
  assert.equal(conditionsOf(done).Complete, 'True ConditionRulesAggregated: Job is finished')
  const gone = reported(done, [{ object: job, ...rules, observation: { state: 'absent' } }])
  assert.equal(conditionsOf(gone).Complete, 'True ConditionRulesAggregated: Job is finished')
  assert.equal(conditionsOf(gone).Progressing, 'False Completed: All resources are ready')
  assert.equal(manifestOf(gone)?.statusFeedback?.values?.length, 2)
})

test('workStatusOf: reports the objects of a complete work after a restart', () => {
  const pod = (phase: string) => objectOf('v1', 'Pod', { status: { phase } })
  const rules = { feedbackRules: [{ type: 'WellKnownStatus' as const }], conditionRules: [complete] }
  const work = reported(workOf([{ object: pod('Succeeded'), ...rules }]), [{ object: pod('Succeeded'), ...rules }])
  const after = nextGeneration(work)
  const status = workStatusOf(after, undefined, optionsFor([{ object: pod('Failed'), ...rules }]))
  assert.equal(conditionTexts(status?.conditions).Complete, 'True ConditionRulesAggregated: Pod is in phase Failed')
  assert.equal(findCondition(status?.conditions, 'Applied')?.observedGeneration, 1)
  assert.equal(findCondition(status?.conditions, 'Complete')?.observedGeneration, 2)
})

test('workStatusOf: a manifest that moves within the work keeps its times', () => {
  const other = objectOf('v1', 'Secret')
  const one: Part[] = [{ object: configMap }, { object: other }]
  const two: Part[] = [{ object: other }, { object: configMap }]
  const moved = reported(reported(workOf(one), one), two, LATER)
  assert.deepEqual(manifestOf(moved, 1)?.resourceMeta, {
    ...manifestOf(moved, 1)?.resourceMeta,
    kind: 'ConfigMap',
    ordinal: 1,
  })
  assert.equal(findCondition(manifestOf(moved, 1)?.conditions, 'Available')?.lastTransitionTime, '2030-01-01T00:00:00Z')
})

test('workStatusOf: names a manifest without a name by its position', () => {
  const applied = {
    status: 'False',
    reason: 'AppliedManifestFailed',
    message: 'no kind',
    resourceMeta: { ordinal: 1 },
  } as const
  const parts: Part[] = [{ object: configMap }, { object: configMap, applied, observation: { state: 'unnamed' } }]
  const work = reported(workOf(parts), parts)
  assert.match(conditionsOf(work).Applied ?? '', /1 of 2 manifests: manifest 2: no kind$/)
})

test('workStatusOf: shortens messages as manifests grow in number, and keeps the fix in each', () => {
  const message = `Failed to apply manifest: ${'why '.repeat(20_000)}. Do this`
  const applied = { status: 'False' as const, reason: 'AppliedManifestFailed', message }
  const lengths = [1, 20, 500].map((count) => {
    const parts: Part[] = Array.from({ length: count }, (_, index) => ({
      object: objectOf('v1', 'ConfigMap', { metadata: { name: `m${index}` } }),
      applied,
      observation: { state: 'absent' } as const,
    }))
    const work = reported(workOf(parts), parts)
    assert.ok(JSON.stringify(work.status).length < 1_000_000)
    const conditionTexts = findCondition(manifestOf(work, count - 1)?.conditions, 'Applied')?.message ?? ''
    assert.match(conditionTexts, /^Failed to apply manifest: why .*….*\. Do this$/)
    assert.match(conditionsOf(work).Applied ?? '', /\. Do this(; and \d+ more)?$/)
    return conditionTexts.length
  })
  assert.deepEqual(lengths, [32_768, 2621, 512])
})

test('workStatusOf: earlier values count toward the limit while their object cannot be observed', () => {
  const rules: FeedbackRule[] = [
    {
      type: 'JSONPaths',
      jsonPaths: Array.from({ length: 5 }, (_, index) => ({ name: `v${index}`, path: `.data.v${index}` })),
    },
  ]
  const data = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`v${index}`, 'x'.repeat(30_000)]))
  const part = (name: string): Part => ({
    object: objectOf('v1', 'ConfigMap', { metadata: { name }, data }),
    feedbackRules: rules,
  })
  const parts = [part('a'), part('b')]
  const counts = (work: ManifestWork) =>
    [0, 1].map((ordinal) => manifestOf(work, ordinal)?.statusFeedback?.values?.length)
  const first = reported(workOf(parts), parts)
  assert.deepEqual(counts(first), [5, 3])
  const hidden: Part[] = parts.map((one, index) =>
    index === 0 ? { ...one, observation: { state: 'failed', message: 'no' } } : one,
  )
  assert.deepEqual(counts(reported(first, hidden)), [5, 3])
})

test('workStatusOf: returns the same status for the same state', () => {
  const objects = fc.constantFrom(configMap, slowDeployment, readyDeployment, objectOf('batch/v1', 'Job'))
  const part: fc.Arbitrary<Part> = fc.record({
    object: objects,
    observation: fc.constantFrom(
      { state: 'absent' } as const,
      { state: 'failed', message: 'forbidden' } as const,
      { state: 'there', object: slowDeployment } as const,
    ),
    feedbackRules: fc.constantFrom([], [{ type: 'WellKnownStatus' as const }]),
    conditionRules: fc.subarray([complete, progressing('true'), { ...progressing('false'), condition: 'Available' }]),
    applied: fc.constantFrom({}, { status: 'False' as const, reason: 'AppliedManifestFailed', message: 'no' }),
  })
  const distinct = fc.uniqueArray(part, { selector: ({ object }) => object.kind })
  fc.assert(
    fc.property(distinct, distinct, (before, after) => {
      const first = reported(workOf(before), before, NOW)
      const work = { ...workOf(after), status: first.status ?? {} }
      const second = reported(work, after, NOW)
      const third = reported(second, after, LATER)
      assert.ok(semanticEqual(third.status, second.status))
      const types = second.status?.conditions?.map(({ type }) => type) ?? []
      assert.equal(new Set(types).size, types.length)
    }),
  )
})

test('workStatusOf: the rules of a work share one budget', () => {
  const dear = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]'
  const source = `${Array.from('abcde', (name) => `${dear}.all(${name}, `).join('')}true${')'.repeat(5)}`
  const rule = (condition: string): ConditionRule => ({ condition, type: 'CEL', celExpressions: [source] })
  const parts = Array.from({ length: 20 }, (_, at) => ({
    object: { ...configMap, metadata: { ...configMap.metadata, name: `m${at}` } },
    conditionRules: ['A', 'B'].map(rule),
  }))
  const work = reported(workOf(parts), parts)
  const verdicts = parts.map((_, at) => conditionTexts(manifestOf(work, at)?.conditions).A ?? '')
  assert.match(verdicts[0] ?? '', /^True/)
  assert.match(verdicts.at(-1) ?? '', /CEL evaluation budget exceeded/)
})

test('workStatusOf: the feedback rules of a work share one limit of visits', () => {
  const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 'x']))
  const jsonPaths = Array.from({ length: 10 }, (_, at) => ({ name: `n${at}`, path: `..k${at}` }))
  const feedbackRules: FeedbackRule[] = [{ type: 'JSONPaths', jsonPaths }]
  const parts = Array.from({ length: 4 }, (_, at) => ({
    object: { ...configMap, metadata: { ...configMap.metadata, name: `m${at}` }, data },
    feedbackRules,
  }))
  const work = reported(workOf(parts), parts)
  assert.equal(manifestOf(work, 0)?.statusFeedback?.values?.length, 10)
  assert.equal(manifestOf(work, 3)?.statusFeedback, undefined)
  assert.match(
    conditionTexts(manifestOf(work, 3)?.conditions).StatusFeedbackSynced ?? '',
    /visit more than 500000 values/,
  )
})
