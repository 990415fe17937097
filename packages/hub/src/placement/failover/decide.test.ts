import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FailoverRules } from '../failover-rules.js'
import { decideFailover, type FailoverCluster, type FailoverDecision, type FailoverMemory } from './decide.js'

const START = Date.parse('2030-01-01T00:00:00Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const NOTHING: FailoverMemory = { excluded: [], pending: [], recentMoves: [] }
const RULES: FailoverRules = {
  scoreName: 'ClusterHealth',
  leaveBelow: 50,
  leaveAfter: MINUTE,
  returnAbove: 80,
  returnAfter: 5 * MINUTE,
  minClusters: 1,
  maxMoves: 1,
  moveInterval: 5 * MINUTE,
  isMissingFailing: false,
}

function at(seconds: number): Date {
  return new Date(START + seconds * SECOND)
}

function cluster(name: string, score: number | undefined, isDecided = true, isFeasible = true): FailoverCluster {
  return { name, score, isDecided, isFeasible }
}

/** Follows steps of clusters with the status of the step before. */
function follow(rules: FailoverRules, steps: readonly (readonly [seconds: number, ...clusters: FailoverCluster[]])[]) {
  let memory = NOTHING
  const decisions: FailoverDecision[] = []
  for (const [seconds, ...clusters] of steps) {
    const decision = decideFailover(rules, clusters, memory, at(seconds))
    memory = decision
    decisions.push(decision)
  }
  return decisions
}

const movesOf = ({ moves }: FailoverDecision) => moves.map(({ clusterName, move }) => `${clusterName} ${move}`)
const excludedOf = ({ excluded }: FailoverDecision) => excluded.map(({ clusterName }) => clusterName)

test('decideFailover: a failing cluster leaves after leaveAfter, and returns after returnAfter', () => {
  const healthy = cluster('b', 100)
  const decisions = follow(RULES, [
    [0, cluster('a', 12), healthy],
    [59, cluster('a', 10), healthy],
    [60, cluster('a', 10), healthy],
    [400, cluster('a', 81, false), healthy],
    [699, cluster('a', 90, false), healthy],
    [700, cluster('a', 90, false), healthy],
  ])
  assert.deepEqual(decisions.map(movesOf), [[], [], ['a Leave'], [], [], ['a Return']])
  assert.deepEqual(decisions[0]?.pending, [{ clusterName: 'a', move: 'Leave', since: '2030-01-01T00:00:00Z' }])
  assert.deepEqual(decisions[0]?.nextAt, at(60))
  assert.deepEqual(decisions[2]?.excluded, [
    { clusterName: 'a', since: '2030-01-01T00:01:00Z', reason: 'ClusterHealth is 10, and was below 50 for 60s' },
  ])
  assert.deepEqual(decisions[5]?.excluded, [])
})

test('decideFailover: a score that recovers in time resets the wait', () => {
  const healthy = cluster('b', 100)
  const decisions = follow(RULES, [
    [0, cluster('a', 12), healthy],
    [50, cluster('a', 50), healthy],
    [60, cluster('a', 12), healthy],
    [110, cluster('a', 12), healthy],
    [120, cluster('a', 12), healthy],
  ])
  assert.deepEqual(decisions.map(movesOf), [[], [], [], [], ['a Leave']])
})

test('decideFailover: maxMoves delays the others, worst first, and the reason is a limit', () => {
  const clusters = [cluster('a', 40), cluster('b', 20), cluster('c', 100)]
  const decisions = follow(RULES, [
    [0, ...clusters],
    [60, ...clusters],
    [120, ...clusters],
    [360, ...clusters],
  ])
  assert.deepEqual(decisions.map(movesOf), [[], ['b Leave'], [], ['a Leave']])
  assert.deepEqual(decisions[1]?.limit, {
    reason: 'MaxMovesReached',
    message: 'a should leave, but maxMoves is 1 in 5m',
  })
  assert.deepEqual(decisions[1]?.nextAt, at(360))
  assert.equal(decisions[3]?.limit, undefined)
})

test('decideFailover: nothing leaves if fewer than minClusters others are not failing', () => {
  const clusters = [cluster('a', 0), cluster('b', 0), cluster('c', 60), cluster('d', 100, false, false)]
  const decisions = follow({ ...RULES, minClusters: 2, maxMoves: 5 }, [
    [0, ...clusters],
    [60, ...clusters],
  ])
  assert.deepEqual(decisions.map(movesOf), [[], []])
  assert.deepEqual(decisions[1]?.limit, {
    reason: 'MinClustersReached',
    message: 'a, b should leave, but 1 other clusters match and are not failing, and minClusters is 2',
  })
})

test('decideFailover: a cluster that is not selected leaves without a move', () => {
  const clusters = [cluster('a', 0), cluster('b', 0, false), cluster('c', 0, false), cluster('d', 100, false)]
  const [, decision] = follow(RULES, [
    [0, ...clusters],
    [60, ...clusters],
  ])
  assert.deepEqual(decision && excludedOf(decision), ['a', 'b', 'c'])
  assert.equal(decision?.recentMoves.length, 1)
})

test('decideFailover: missing scores are ignored, or count as failing', () => {
  const clusters = [cluster('a', undefined), cluster('b', 100)]
  const steps = [
    [0, ...clusters],
    [60, ...clusters],
  ] as const
  assert.deepEqual(follow(RULES, steps).map(movesOf), [[], []])
  const decisions = follow({ ...RULES, isMissingFailing: true }, steps)
  assert.deepEqual(decisions.map(movesOf), [[], ['a Leave']])
  assert.equal(decisions[1]?.excluded[0]?.reason, 'ClusterHealth was missing for 60s')
})

test('decideFailover: the best excluded cluster returns at once when too few others are left', () => {
  const memory = { ...NOTHING, excluded: ['a', 'b'].map((clusterName) => ({ clusterName, since: '', reason: '' })) }
  const clusters = [cluster('a', 10, false), cluster('b', 20, false), cluster('c', 100, false, false)]
  const decision = decideFailover(RULES, clusters, memory, at(0))
  assert.deepEqual(movesOf(decision), ['b Return'])
  assert.deepEqual(excludedOf(decision), ['a'])
})

test('decideFailover: forgets clusters that are no candidates any more', () => {
  const memory = {
    ...NOTHING,
    excluded: [{ clusterName: 'gone', since: '2030-01-01T00:00:00Z', reason: '' }],
    pending: [{ clusterName: 'gone', move: 'Return' as const, since: '2030-01-01T00:00:00Z' }],
  }
  const { excluded, pending, moves } = decideFailover(RULES, [cluster('a', 100)], memory, at(0))
  assert.deepEqual([excluded, pending, moves], [[], [], []])
})

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

const rules = fc.record({
  scoreName: fc.constant('Health'),
  leaveBelow: fc.integer({ min: 20, max: 50 }),
  returnAbove: fc.integer({ min: 50, max: 80 }),
  leaveAfter: fc.integer({ min: 0, max: 120 }).map((seconds) => seconds * SECOND),
  returnAfter: fc.integer({ min: 0, max: 120 }).map((seconds) => seconds * SECOND),
  minClusters: fc.integer({ min: 1, max: 4 }),
  maxMoves: fc.integer({ min: 1, max: 3 }),
  moveInterval: fc.integer({ min: 1, max: 300 }).map((seconds) => seconds * SECOND),
  isMissingFailing: fc.boolean(),
})

/** One step: how long it takes, and the clusters that are there. Decisions follow what is excluded. */
const step = (score: fc.Arbitrary<number | undefined>) =>
  fc.record({
    seconds: fc.integer({ min: 0, max: 90 }),
    clusters: fc
      .subarray(NAMES)
      .chain((names) =>
        fc.tuple(...names.map((name) => fc.record({ name: fc.constant(name), score, isFeasible: fc.boolean() }))),
      ),
  })

const anyScore = fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined, freq: 8 })

function simulate(
  rules: FailoverRules,
  steps: readonly { seconds: number; clusters: readonly Omit<FailoverCluster, 'isDecided'>[] }[],
  check: (decision: FailoverDecision, clusters: readonly FailoverCluster[], now: number) => void,
): void {
  let memory: FailoverMemory = NOTHING
  let now = START
  for (const { seconds, clusters } of steps) {
    now += seconds * SECOND
    const excluded = new Set(memory.excluded.map(({ clusterName }) => clusterName))
    const seen = clusters.map((one) => ({ ...one, isDecided: one.isFeasible && !excluded.has(one.name) }))
    const decision = decideFailover(rules, seen, memory, new Date(now))
    check(decision, seen, now)
    memory = decision
  }
}

test('decideFailover: never leaves fewer than the minimum of feasible clusters, nor excludes all of them', () => {
  const property = fc.property(rules, fc.array(step(anyScore), { maxLength: 30 }), (rules, steps) => {
    simulate(rules, steps, ({ excluded }, clusters) => {
      const names = new Set(excluded.map(({ clusterName }) => clusterName))
      const feasible = clusters.filter(({ isFeasible }) => isFeasible)
      const left = feasible.filter(({ name }) => !names.has(name))
      assert.ok(left.length >= Math.min(rules.minClusters, feasible.length))
    })
  })
  fc.assert(property, { numRuns: 500 })
})

/** Clusters that fail and recover often, so that limits are reached. */
const unsteady = fc.record({
  seconds: fc.integer({ min: 0, max: 60 }),
  clusters: fc.tuple(
    ...NAMES.map((name) =>
      fc.record({ name: fc.constant(name), score: fc.constantFrom(0, 0, 100), isFeasible: fc.constant(true) }),
    ),
  ),
})
const hasty = rules.map((one) => ({ ...one, leaveAfter: 0, returnAfter: 0, minClusters: 1 }))

test('decideFailover: never moves more selected clusters within an interval than maxMoves', () => {
  const property = fc.property(hasty, fc.array(unsteady, { maxLength: 30 }), (rules, steps) => {
    const times: number[] = []
    simulate(rules, steps, ({ moves }, _, now) => {
      // All clusters are feasible, so that none has to return because of the minimum.
      times.push(...moves.map(() => now))
      const recent = times.filter((time) => now - time < rules.moveInterval)
      assert.ok(recent.length <= rules.maxMoves, `${recent.length} moved`)
    })
  })
  fc.assert(property, { numRuns: 500 })
})

test('decideFailover: scores between leaveBelow and returnAbove move nothing, in any state', () => {
  const band = fc.integer({ min: 50, max: 50 })
  const warmUp = fc.array(step(anyScore), { maxLength: 10 })
  const property = fc.property(
    rules,
    warmUp,
    fc.array(fc.integer({ min: 0, max: 90 })),
    band,
    (rules, first, rest, score) => {
      const clusters = NAMES.map((name) => ({ name, score, isFeasible: true }))
      const oscillating = rest.map((seconds, index) => {
        const edges = [rules.leaveBelow, rules.returnAbove]
        return {
          seconds,
          clusters: clusters.map((one, place) => ({ ...one, score: edges[(index + place) % 2] as number })),
        }
      })
      let steps = 0
      let before: readonly string[] | undefined
      simulate(rules, [...first, { seconds: 0, clusters }, ...oscillating], (decision) => {
        steps += 1
        if (steps <= first.length + 1) {
          before = excludedOf(decision)
          return
        }
        assert.deepEqual(decision.moves, [])
        assert.deepEqual(excludedOf(decision), before)
      })
    },
  )
  fc.assert(property, { numRuns: 300 })
})

test('decideFailover: is stable: the same scores at the same time decide nothing new', () => {
  const property = fc.property(rules, fc.array(step(anyScore), { minLength: 1, maxLength: 20 }), (rules, steps) => {
    simulate(rules, steps, (decision, clusters, now) => {
      const excluded = new Set(excludedOf(decision))
      const after = clusters.map((one) => ({ ...one, isDecided: one.isFeasible && !excluded.has(one.name) }))
      const again = decideFailover(rules, after, decision, new Date(now))
      if (rules.moveInterval > 0 && rules.leaveAfter > 0 && rules.returnAfter > 0) assert.deepEqual(again.moves, [])
    })
  })
  fc.assert(property, { numRuns: 300 })
})
