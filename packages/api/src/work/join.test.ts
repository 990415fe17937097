import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ConditionStatus } from '@orrery/kinds'
import { joinWork, joinWorkStatus } from './join.js'
import type { ManifestWork } from './manifest-work.js'
import { PART_ANNOTATION } from './names.js'

type Said = Readonly<Record<string, readonly [status: ConditionStatus, minute: number]>>

/** A part with one manifest, and what its agent says of it. */
function part(number: number, count: number, said: Said, observedGeneration = 1): ManifestWork {
  const name = number === 1 ? 'w' : `w-${number}`
  const conditions = Object.entries(said).map(([type, [status, minute]]) => ({
    type,
    status,
    reason: `${type}${status}`,
    message: `${type} is ${status}`,
    lastTransitionTime: `2030-01-01T00:0${minute}:00Z`,
    observedGeneration,
  }))
  const resourceMeta = { ordinal: 0, name: `m${number}` }
  return {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: {
      namespace: 'c1',
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      generation: 1,
      annotations: { [PART_ANNOTATION]: `${number}/${count}` },
    },
    spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `m${number}` } }] } },
    status: { conditions, resourceStatus: { manifests: [{ resourceMeta, conditions: [] }] } },
  }
}

const brief = (...parts: ManifestWork[]) =>
  Object.fromEntries(
    (joinWorkStatus(parts).conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => [
      type,
      [status, reason, message, lastTransitionTime.slice(14, 16)].join(' | '),
    ]),
  )

suite('joinWork', () => {
  test('is good if all parts are, since the last transition', () => {
    const said = (minute: number): Said => ({ Applied: ['True', minute], Progressing: ['False', minute] })
    assert.deepEqual(brief(part(2, 2, said(1)), part(1, 2, said(3))), {
      Applied: 'True | AppliedTrue | Applied is True | 03',
      Progressing: 'False | ProgressingFalse | Progressing is False | 03',
    })
  })

  test('has the worst condition of its parts, since that transition', () => {
    const first = part(1, 3, { Available: ['True', 1], Degraded: ['False', 1] })
    const second = part(2, 3, { Available: ['False', 4], Degraded: ['True', 4] })
    const third = part(3, 3, { Available: ['False', 2], Degraded: ['Unknown', 2] })
    assert.deepEqual(brief(first, second, third), {
      Available: 'False | AvailableFalse | w-2: Available is False; w-3: Available is False | 02',
      Degraded: 'True | DegradedTrue | w-2: Degraded is True | 04',
    })
  })

  test('is Unknown while a part is missing, has not reported or is outdated', () => {
    const well = part(1, 2, { Applied: ['True', 1] })
    const unknown = { Applied: 'Unknown | PartsNotReported | 1 of 2 parts have not been reported on yet | 01' }
    assert.deepEqual(brief(well), unknown)
    assert.deepEqual(brief(well, part(2, 2, {})), unknown)
    assert.deepEqual(brief(well, part(2, 2, { Applied: ['True', 0] }, 0)), unknown)
    const failing = part(2, 3, { Applied: ['False', 2] })
    assert.equal(brief(well, failing).Applied, 'False | AppliedFalse | w-2: Applied is False | 02')
  })

  test('keeps conditions that only some parts report', () => {
    const parts = [part(1, 2, { Applied: ['True', 1] }), part(2, 2, { Applied: ['True', 1], Complete: ['True', 2] })]
    assert.equal(brief(...parts).Complete, 'True | CompleteTrue | Complete is True | 02')
  })

  test('orders the manifests of its parts', () => {
    const work = joinWork([part(2, 2, {}), part(1, 2, {})])
    assert.equal(work.metadata.name, 'w')
    assert.deepEqual(
      work.spec?.workload?.manifests?.map(({ metadata }) => metadata?.name),
      ['m1', 'm2'],
    )
    const manifests = work.status?.resourceStatus?.manifests?.map(({ resourceMeta }) => resourceMeta)
    assert.deepEqual(manifests, [
      { ordinal: 0, name: 'm1' },
      { ordinal: 1, name: 'm2' },
    ])
    assert.throws(() => joinWork([]), /^RangeError: no parts to join$/)
  })
})
