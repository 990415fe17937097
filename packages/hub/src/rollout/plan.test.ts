import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { RolloutProgressive, RolloutStrategy } from '@orrery/api'
import fc from 'fast-check'
import type { DecisionGroup } from '../placement/index.js'
import { planRollout } from './plan.js'
import type { ClusterProgress } from './types.js'

const NOW = new Date('2030-01-01T01:00:00Z')
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)

type Told = Readonly<Record<string, ClusterProgress['state'] | readonly [ClusterProgress['state'], number]>>

/** The progress of clusters: a state, and for how many minutes. Others do not have the change yet. */
function told(states: Told): (cluster: string) => ClusterProgress {
  return (cluster) => {
    const said = states[cluster] ?? 'ToApply'
    const [state, minutes] = typeof said === 'string' ? [said, 1] : said
    return state === 'ToApply' ? { state } : { state, since: minutesAgo(minutes) }
  }
}

const oneGroup = (...clusters: string[]): DecisionGroup[] => [{ index: 0, name: '', clusters }]
const plan = (strategy: RolloutStrategy, groups: DecisionGroup[], states: Told = {}) =>
  planRollout(strategy, groups, told(states), NOW)

suite('All', () => {
  const strategy: RolloutStrategy = {
    type: 'All',
    all: { progressDeadline: '5m', maxFailures: 0, minSuccessTime: '0' },
  }

  test('rolls out to every cluster at once, whether others fail or not', () => {
    const { next, breach } = plan(strategy, oneGroup('b', 'a', 'c'), { c: 'Failed' })
    assert.deepEqual(next, ['a', 'b'])
    assert.equal(breach, undefined)
  })

  test('reports clusters that exceed progressDeadline, and when the next one will', () => {
    const { statuses, recheckAt } = plan(strategy, oneGroup('a', 'b'), {
      a: ['Progressing', 6],
      b: ['Progressing', 2],
    })
    assert.deepEqual(
      [...statuses],
      [
        ['a', 'TimeOut'],
        ['b', 'Progressing'],
      ],
    )
    assert.deepEqual(recheckAt, minutesAgo(-3))
  })
})

suite('Progressive', () => {
  const strategy = (settings: Partial<RolloutProgressive> = {}): RolloutStrategy => ({
    type: 'Progressive',
    progressive: { minSuccessTime: '0', progressDeadline: 'None', maxFailures: 0, ...settings },
  })
  const five = oneGroup('a', 'b', 'c', 'd', 'e')

  test('has at most maxConcurrency clusters in progress', () => {
    assert.deepEqual(plan(strategy({ maxConcurrency: 2 }), five).next, ['a', 'b'])
    assert.deepEqual(plan(strategy({ maxConcurrency: 2 }), five, { a: 'Progressing' }).next, ['b'])
    const moved = plan(strategy({ maxConcurrency: 2 }), five, { a: 'Succeeded', b: 'Progressing' })
    assert.deepEqual(moved.next, ['c'])
    assert.deepEqual(plan(strategy({ maxConcurrency: '50%' }), five).next, ['a', 'b', 'c'])
    assert.deepEqual(plan(strategy({ maxConcurrency: '3' }), five).next, ['a', 'b', 'c'])
    assert.equal(plan(strategy(), five).next.length, 5)
  })

  test('waits until a cluster was successful for minSuccessTime', () => {
    const settings = strategy({ maxConcurrency: 1, minSuccessTime: '5m' })
    const early = plan(settings, five, { a: ['Succeeded', 2] })
    assert.deepEqual(early.next, [])
    assert.deepEqual(early.recheckAt, minutesAgo(-3))
    assert.equal(early.statuses.get('a'), 'Settling')
    assert.deepEqual(plan(settings, five, { a: ['Succeeded', 5] }).next, ['b'])
  })

  test('stops when more than maxFailures clusters fail, and resumes when they recover', () => {
    const settings = strategy({ maxConcurrency: 2, maxFailures: '20%' })
    assert.deepEqual(plan(settings, five, { a: 'Failed' }).next, ['b', 'c'])
    const stopped = plan(settings, five, { a: 'Failed', b: ['Failed', 10] })
    assert.deepEqual(stopped.next, [])
    assert.deepEqual(stopped.breach, { clusters: ['a', 'b'], maxFailures: 1 })
    assert.deepEqual(plan(settings, five, { a: 'Failed', b: 'Succeeded' }).next, ['c', 'd'])
  })

  test('keeps the slot of a failed cluster until the others of the batch have succeeded or failed', () => {
    const settings = strategy({ maxConcurrency: 2, maxFailures: 1 })
    assert.deepEqual(plan(settings, five, { a: 'Failed', b: 'Progressing' }).next, [])
    const roomy = strategy({ maxConcurrency: 3, maxFailures: 1 })
    assert.deepEqual(plan(roomy, five, { a: 'Failed', b: 'Progressing' }).next, ['c'])
  })

  test('counts a cluster that exceeds progressDeadline as failed', () => {
    const settings = strategy({ maxConcurrency: 1, progressDeadline: '10m' })
    assert.deepEqual(plan(settings, five, { a: ['Progressing', 9] }).recheckAt, minutesAgo(-1))
    assert.deepEqual(plan(settings, five, { a: ['Progressing', 10] }).breach?.clusters, ['a'])
    const tolerant = strategy({ maxConcurrency: 1, progressDeadline: '10m', maxFailures: 1 })
    assert.deepEqual(plan(tolerant, five, { a: ['Progressing', 10] }).next, ['b'])
  })

  test('starts with mandatory groups, which tolerate no failures', () => {
    const groups: DecisionGroup[] = [
      { index: 0, name: 'east', clusters: ['a', 'b'] },
      { index: 1, name: 'canary', clusters: ['y', 'z'] },
      { index: 2, name: '', clusters: ['c'] },
    ]
    const settings = strategy({
      mandatoryDecisionGroups: [{ groupName: 'canary' }, { groupIndex: 2 }],
      maxConcurrency: 1,
      maxFailures: 3,
    })
    assert.deepEqual(plan(settings, groups).next, ['y', 'z'])
    assert.deepEqual(plan(settings, groups, { y: 'Succeeded', z: 'Failed' }).breach, {
      clusters: ['z'],
      maxFailures: 0,
    })
    const canaryDone = { y: 'Succeeded', z: 'Succeeded' } as const
    assert.deepEqual(plan(settings, groups, canaryDone).next, ['c'])
    assert.deepEqual(plan(settings, groups, { ...canaryDone, c: 'Progressing' }).next, [])
    assert.deepEqual(plan(settings, groups, { ...canaryDone, c: 'Succeeded' }).next, ['a'])
  })
})

suite('ProgressivePerGroup', () => {
  const groups: DecisionGroup[] = [
    { index: 1, name: 'prod', clusters: ['c', 'd', 'e'] },
    { index: 0, name: 'stage', clusters: ['b', 'a'] },
    { index: 2, name: 'edge', clusters: ['f'] },
  ]
  const strategy = (settings: object = {}): RolloutStrategy => ({
    type: 'ProgressivePerGroup',
    progressivePerGroup: { minSuccessTime: '0', progressDeadline: 'None', maxFailures: 0, ...settings },
  })
  const staged = { a: 'Succeeded', b: 'Succeeded' } as const

  test('rolls out to one group after the other', () => {
    assert.deepEqual(plan(strategy(), groups).next, ['a', 'b'])
    assert.deepEqual(plan(strategy(), groups, { a: 'Succeeded', b: 'Progressing' }).next, [])
    assert.deepEqual(plan(strategy(), groups, staged).next, ['c', 'd', 'e'])
  })

  test('applies maxFailures to each group by its size', () => {
    const third = strategy({ maxFailures: '34%' })
    assert.deepEqual(plan(third, groups, { ...staged, c: 'Failed', d: 'Succeeded', e: 'Succeeded' }).next, ['f'])
    assert.deepEqual(plan(strategy(), groups, { ...staged, c: 'Failed', d: 'Succeeded', e: 'Succeeded' }).breach, {
      clusters: ['c'],
      maxFailures: 0,
    })
  })

  test('starts with mandatory groups', () => {
    const settings = strategy({ mandatoryDecisionGroups: [{ groupName: 'edge' }], minSuccessTime: '1h' })
    assert.deepEqual(plan(settings, groups).next, ['f'])
    assert.deepEqual(plan(settings, groups, { f: ['Succeeded', 59] }).next, [])
    assert.deepEqual(plan(settings, groups, { f: ['Succeeded', 60] }).next, ['a', 'b'])
  })
})

test('planRollout: refuses a strategy of an unknown type', () => {
  const strategy = { type: 'Canary' } as unknown as RolloutStrategy
  assert.throws(() => plan(strategy, oneGroup('a')), /^RangeError: type: unknown rollout strategy "Canary"$/)
})

test('planRollout: names the field of a strategy that is not valid', () => {
  const broken = (settings: object): RolloutStrategy => ({ type: 'Progressive', progressive: settings as never })
  for (const [settings, message] of [
    [{ minSuccessTime: 'soon' }, /^RangeError: minSuccessTime: time: invalid duration "soon"$/],
    [{ progressDeadline: '5x' }, /^RangeError: progressDeadline: time: unknown unit "x"/],
    [{ maxFailures: 'many' }, /^RangeError: maxFailures: "many" is neither a number nor a percentage$/],
    [{ maxConcurrency: '1.5' }, /^RangeError: maxConcurrency: "1.5" is neither/],
  ] as const) {
    assert.throws(() => plan(broken(settings), oneGroup('a')), message)
  }
})

const states = fc.constantFrom('ToApply', 'Progressing', 'Succeeded', 'Failed') as fc.Arbitrary<
  ClusterProgress['state']
>
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const strategies: fc.Arbitrary<RolloutStrategy> = fc.record({
  type: fc.constantFrom('All', 'Progressive', 'ProgressivePerGroup') as fc.Arbitrary<RolloutStrategy['type']>,
  all: fc.constant({ minSuccessTime: '0', progressDeadline: 'None', maxFailures: 0 }),
  progressive: fc.record({
    minSuccessTime: fc.constantFrom('0', '5m'),
    progressDeadline: fc.constantFrom('None', '5m'),
    maxFailures: fc.constantFrom<string | number>(0, 1, '50%', '100%'),
    maxConcurrency: fc.constantFrom<string | number>(1, 2, '40%'),
    mandatoryDecisionGroups: fc.constantFrom([], [{ groupIndex: 1 }]),
  }),
  progressivePerGroup: fc.record({
    minSuccessTime: fc.constantFrom('0', '5m'),
    progressDeadline: fc.constantFrom('None', '5m'),
    maxFailures: fc.constantFrom<string | number>(0, 1, '50%'),
  }),
})

test('planRollout: a rollout continues, waits for a cluster, is stopped, or is complete', () => {
  fc.assert(
    fc.property(
      strategies,
      fc.array(states, { minLength: 7, maxLength: 7 }),
      fc.integer({ min: 1, max: 9 }),
      (strategy, said, minutes) => {
        const groups = [0, 1, 2].map((index) => ({
          index,
          name: '',
          clusters: names.filter((_, at) => at % 3 === index),
        }))
        const { next, statuses, breach } = plan(
          strategy,
          groups,
          Object.fromEntries(names.map((name, at) => [name, [said[at] as never, minutes] as const])),
        )
        const all = [...statuses.values()]
        assert.equal(all.length, names.length)
        for (const cluster of next) assert.equal(statuses.get(cluster), 'ToApply')
        if (breach !== undefined) {
          assert.deepEqual(next, [])
          assert.ok(breach.clusters.length > breach.maxFailures)
        } else if (next.length === 0) {
          const isWaiting = all.includes('Progressing') || all.includes('Settling')
          assert.ok(isWaiting || !all.includes('ToApply'))
        }
      },
    ),
  )
})

test('planRollout: every rollout to clusters that succeed completes, whatever the strategy', () => {
  fc.assert(
    fc.property(strategies, (strategy) => {
      const groups = [0, 1, 2].map((index) => ({
        index,
        name: '',
        clusters: names.filter((_, at) => at % 3 === index),
      }))
      const has = new Set<string>()
      for (let round = 0; round <= names.length; round++) {
        const { next } = plan(
          strategy,
          groups,
          Object.fromEntries([...has].map((name) => [name, ['Succeeded', 60] as const])),
        )
        for (const cluster of next) has.add(cluster)
      }
      assert.equal(has.size, names.length)
    }),
  )
})
