import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ManifestWork, ROLLED_OUT_AT_ANNOTATION } from '@orrery/api'
import type { ConditionStatus } from '@orrery/kinds'
import { describeProgress, progressOf } from './progress.js'

const minute = (count: number) => `2030-01-01T00:${String(count).padStart(2, '0')}:00Z`

type Said = Readonly<Record<string, readonly [status: ConditionStatus, minute: number, generation?: number]>>

/** A work of the second generation, given to its cluster at minute 10. */
function workThatSays(
  said: Said,
  fields: { rule?: string; annotations?: Record<string, string>; deletionTimestamp?: string } = {},
): ManifestWork {
  const { rule, annotations = { [ROLLED_OUT_AT_ANNOTATION]: minute(10) }, deletionTimestamp } = fields
  const resourceIdentifier = { group: '', resource: 'configmaps', name: 'c', namespace: 'd' }
  const conditionRules = rule === undefined ? [] : [{ condition: rule, type: 'CEL' as const, celExpressions: ['true'] }]
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: {
      namespace: 'c1',
      name: 'w',
      uid: 'u',
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      resourceVersion: '1',
      creationTimestamp: minute(0),
      generation: 2,
      annotations,
    },
    spec: { manifestConfigs: [{ resourceIdentifier, conditionRules, feedbackScrapeType: 'Poll' }] },
    status: {
      conditions: Object.entries(said).map(([type, [status, at, observedGeneration = 2]]) => ({
        type,
        status,
        reason: 'Said',
        message: `${type}!`,
        lastTransitionTime: minute(at),
        observedGeneration,
      })),
    },
  }
}

suite('progressOf', () => {
  const applied: Said = { Applied: ['True', 11] }
  for (const [what, said, state, since, words] of [
    ['nothing was said', {}, 'Progressing', 10, 'its agent has not reported yet'],
    [
      'all that was said is old',
      { Applied: ['True', 1, 1], Progressing: ['False', 1, 1] },
      'Progressing',
      10,
      'its agent has not reported yet',
    ],
    ['it could not be applied', { Applied: ['False', 12] }, 'Progressing', 10, 'Applied!'],
    ['it is on its way', { ...applied, Progressing: ['True', 12] }, 'Progressing', 12, 'Progressing!'],
    [
      'its progress is unknown',
      { ...applied, Progressing: ['Unknown', 12] },
      'Progressing',
      12,
      'it has not reported success yet',
    ],
    ['it is done', { ...applied, Progressing: ['False', 12] }, 'Succeeded', 12, 'it has not reported success yet'],
    [
      'it was never on its way',
      { ...applied, Progressing: ['False', 3] },
      'Succeeded',
      10,
      'it has not reported success yet',
    ],
    ['it failed', { ...applied, Progressing: ['True', 12], Degraded: ['True', 13] }, 'Failed', 13, 'Degraded!'],
    [
      'it failed to be applied',
      { Applied: ['False', 12], Progressing: ['True', 12], Degraded: ['True', 12] },
      'Failed',
      12,
      'Applied!',
    ],
    [
      'it is done and not well',
      { ...applied, Progressing: ['False', 12], Degraded: ['True', 13] },
      'Succeeded',
      12,
      'Degraded!',
    ],
    [
      'whether it is well is old',
      { ...applied, Progressing: ['False', 12], Degraded: ['False', 1, 1] },
      'Progressing',
      10,
      'it has not reported success yet',
    ],
    [
      'it only says what is there',
      { ...applied, Available: ['True', 12] },
      'Succeeded',
      12,
      'it has not reported success yet',
    ],
    ['it says that something is not there', { ...applied, Available: ['False', 12] }, 'Progressing', 10, 'Available!'],
    [
      'it will say more',
      { ...applied, Available: ['True', 12], Progressing: ['False', 1, 1] },
      'Progressing',
      10,
      'it has not reported success yet',
    ],
  ] as const satisfies readonly (readonly [string, Said, string, number, string])[]) {
    test(`when ${what}`, () => {
      const work = workThatSays(said)
      assert.deepEqual(progressOf(work), { state, since: new Date(minute(since)) })
      assert.equal(describeProgress(work), words)
    })
  }

  test('when a condition rule is about Progressing', () => {
    const work = workThatSays({ ...applied, Available: ['True', 12] }, { rule: 'Progressing' })
    assert.equal(progressOf(work).state, 'Progressing')
  })

  test('when there is no rollout annotation', () => {
    const work = workThatSays({}, { annotations: { [ROLLED_OUT_AT_ANNOTATION]: 'lately' } })
    assert.deepEqual(progressOf(work), { state: 'Progressing', since: new Date(minute(0)) })
  })

  test('when it is being deleted', () => {
    const work = workThatSays({ ...applied, Progressing: ['False', 12] }, { deletionTimestamp: minute(20) })
    assert.deepEqual(progressOf(work), { state: 'Progressing', since: new Date(minute(20)) })
    assert.equal(describeProgress(work), 'its previous ManifestWork is still being deleted')
  })
})
