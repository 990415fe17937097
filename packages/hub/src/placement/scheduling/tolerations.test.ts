import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Taint, Toleration } from '@orrery/api'
import { at, cluster, run, selectedBy, state } from './scheduling.fixture.js'
import { checkTaints, compileTolerations } from './tolerations.js'

function taint(effect: Taint['effect'], more: Partial<Taint> = {}): Taint {
  return { key: 'gpu', value: 'true', effect, timeAdded: time(-60), ...more } as Taint
}

function time(seconds: number): string {
  return at(seconds).toISOString().replace('.000Z', 'Z')
}

const cases: [title: string, taints: Taint[], tolerations: object[], decided: boolean, selected: boolean][] = [
  ['NoSelect', [taint('NoSelect')], [], false, false],
  ['NoSelect of a selected cluster', [taint('NoSelect')], [], true, false],
  ['NoSelectIfNew', [taint('NoSelectIfNew')], [], false, false],
  ['NoSelectIfNew of a selected cluster', [taint('NoSelectIfNew')], [], true, true],
  ['NoSelectIfNew with a toleration', [taint('NoSelectIfNew')], [{ key: 'gpu', operator: 'Exists' }], false, true],
  ['PreferNoSelect', [taint('PreferNoSelect')], [], false, true],
  ['Equal', [taint('NoSelect')], [{ key: 'gpu', operator: 'Equal', value: 'true' }], false, true],
  ['Equal by default', [taint('NoSelect')], [{ key: 'gpu', value: 'true' }], false, true],
  ['Equal with another value', [taint('NoSelect')], [{ key: 'gpu', operator: 'Equal', value: 'false' }], false, false],
  ['Exists', [taint('NoSelect')], [{ key: 'gpu', operator: 'Exists' }], false, true],
  ['Exists with another key', [taint('NoSelect')], [{ key: 'disk', operator: 'Exists' }], false, false],
  ['Exists without a key', [taint('NoSelect')], [{ operator: 'Exists' }], false, true],
  ['another effect', [taint('NoSelect')], [{ operator: 'Exists', effect: 'NoSelectIfNew' }], false, false],
  ['the same effect', [taint('NoSelect')], [{ operator: 'Exists', effect: 'NoSelect' }], false, true],
  ['an unknown operator', [taint('NoSelect')], [{ key: 'gpu', operator: 'Matches', value: 'true' }], false, false],
  [
    'one of two taints',
    [taint('NoSelect'), taint('NoSelect', { key: 'disk' })],
    [{ key: 'gpu', operator: 'Exists' }],
    false,
    false,
  ],
  ['a time that has not passed', [taint('NoSelect')], [{ operator: 'Exists', tolerationSeconds: 61 }], false, true],
  ['a time that has just passed', [taint('NoSelect')], [{ operator: 'Exists', tolerationSeconds: 60 }], false, false],
  [
    'a time without the time of the taint',
    [taint('NoSelect', { timeAdded: null })],
    [{ operator: 'Exists', tolerationSeconds: 3600 }],
    false,
    false,
  ],
  [
    'a second toleration after one whose time has passed',
    [taint('NoSelect')],
    [
      { operator: 'Exists', tolerationSeconds: 1 },
      { key: 'gpu', operator: 'Exists' },
    ],
    false,
    true,
  ],
]

for (const [title, taints, tolerations, decided, selected] of cases) {
  test(`TaintToleration: ${title}`, () => {
    const current = state({ decided: decided ? ['c1'] : [] })
    assert.deepEqual(selectedBy({ tolerations }, [cluster('c1', { taints })], current), selected ? ['c1'] : [])
  })
}

test('schedule: nextAt is when the first toleration ends', () => {
  const timed = (name: string, timeAdded: string) => cluster(name, { taints: [taint('NoSelect', { timeAdded })] })
  const tolerations = [{ key: 'gpu', operator: 'Exists', tolerationSeconds: 300 }]
  const candidates = [timed('c1', time(-60)), timed('c2', time(-120)), timed('gone', time(-400)), cluster('c3')]
  assert.deepEqual(run({ tolerations }, candidates).nextAt, at(180))
  assert.equal(run({ tolerations }, [cluster('c3')]).nextAt, undefined)
})

test('schedule: a toleration that ends after the last possible time never ends', () => {
  const tolerations = [{ operator: 'Exists', tolerationSeconds: Number.MAX_SAFE_INTEGER }]
  const { nextAt, selected } = run({ tolerations }, [cluster('c1', { taints: [taint('NoSelect')] })])
  assert.deepEqual([nextAt, selected.length], [undefined, 1])
})

test('PreferNoSelect: lowers the total below that of any cluster with the default prioritizers', () => {
  const tainted = cluster('c1', { taints: [taint('PreferNoSelect')] })
  const candidates = [tainted, cluster('c2'), cluster('c3', { taints: [taint('NoSelect')] })]
  const current = state({ decided: ['c1'], elsewhere: { c2: 5 } })
  assert.deepEqual(selectedBy({ numberOfClusters: 1 }, candidates, current), ['c2'])
  assert.deepEqual(selectedBy({ numberOfClusters: 2 }, candidates, current), ['c2', 'c1'])
  const tolerations = [{ key: 'gpu', operator: 'Exists' }]
  assert.deepEqual(selectedBy({ numberOfClusters: 1, tolerations }, [tainted, cluster('c2')], current), ['c1'])
})

test('PreferNoSelect: appears among the prioritizers only if a cluster has such a taint', () => {
  const names = (taints: Taint[]) =>
    run({}, [cluster('c1', { taints })])
      .prioritizerResults()
      .map(({ name }) => name)
  assert.deepEqual(names([taint('PreferNoSelect')]), ['Balance', 'Steady', 'PreferNoSelect'])
  assert.deepEqual(names([]), ['Balance', 'Steady'])
})

test('checkTaints: looks up the tolerations of a taint instead of trying all of them', () => {
  const tolerations = compileTolerations([
    ...Array.from({ length: 500 }, (_, index) => ({ key: 'gpu', value: String(index), tolerationSeconds: index })),
    { key: 'gpu', operator: 'Exists', effect: 'NoSelectIfNew' },
    { key: 'gpu', value: 'true', effect: 'NoSelect' },
  ] as Toleration[])
  let reads = 0
  const counted = {
    ...{ value: 'true', effect: 'NoSelect', addedAt: 0 },
    get key() {
      reads++
      return 'gpu'
    },
  }
  const { blocking } = checkTaints({ ...cluster('c1'), taints: [counted] }, tolerations, false, 1)
  assert.equal(blocking, undefined)
  assert.ok(reads < 10, `${reads} reads`)
})
