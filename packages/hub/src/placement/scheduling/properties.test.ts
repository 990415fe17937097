import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ClusterFacts } from './facts.js'
import { layoutDecisions } from './layout.js'
import { type Schedule, schedule } from './schedule.js'
import { at, cluster, compiled, type SpecDraft, sets, state } from './scheduling.fixture.js'
import type { SchedulingState } from './state.js'

const RUNS = { numRuns: 500 }

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const taint = fc.record({
  key: fc.constantFrom('gpu', 'down'),
  value: fc.constantFrom('', 'x'),
  effect: fc.constantFrom('NoSelect' as const, 'PreferNoSelect' as const),
  timeAdded: fc.integer({ min: -100, max: 0 }).map((seconds) => at(seconds).toISOString()),
})

const traits = fc.record({
  zone: maybe(fc.constantFrom('a', 'b', 'c')),
  region: maybe(fc.constantFrom('x', 'y')),
  env: maybe(fc.constantFrom('prod', 'dev')),
  taints: fc.oneof({ weight: 5, arbitrary: fc.constant([]) }, fc.array(taint, { maxLength: 2 })),
  cpu: maybe(fc.integer({ min: 1, max: 20 })),
})

const candidates = fc.array(traits, { maxLength: 16 }).map((all) =>
  all.map(({ zone, region, env, taints, cpu }, index) =>
    cluster(`c${index}`, {
      labels: { ...(zone && { zone }), ...(env && { env }) },
      claims: { ...(region && { region }) },
      taints,
      ...(cpu !== undefined && { cpu: String(cpu) }),
    }),
  ),
)

const constraint = (whenUnsatisfiable: fc.Arbitrary<string>) =>
  fc.record({
    topology: fc.constantFrom(
      { topologyKey: 'zone', topologyKeyType: 'Label' },
      { topologyKey: 'region', topologyKeyType: 'Claim' },
    ),
    maxSkew: fc.integer({ min: 1, max: 3 }),
    whenUnsatisfiable,
  })

const spreadPolicy = (whenUnsatisfiable = fc.constantFrom('DoNotSchedule', 'ScheduleAnyway')) =>
  fc
    .array(constraint(whenUnsatisfiable), { maxLength: 2 })
    .map((all) => ({ spreadConstraints: all.map(({ topology, ...rest }) => ({ ...topology, ...rest })) }))

const builtIn = (name: string, min: number) =>
  fc.integer({ min, max: 10 }).map((weight) => ({ scoreCoordinate: { type: 'BuiltIn', builtIn: name }, weight }))
const addOn = fc.integer({ min: -10, max: 10 }).map((weight) => ({
  scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'demo' } },
  weight,
}))

// With a negative weight, Steady asks for other clusters each time.
const prioritizerPolicy = fc.record({
  mode: fc.constantFrom('Additive', 'Exact'),
  configurations: fc.array(
    fc.oneof(builtIn('Balance', -10), builtIn('Steady', 0), builtIn('ResourceAllocatableCPU', -10), addOn),
    { maxLength: 3 },
  ),
})

const specWith = (spread: fc.Arbitrary<object>): fc.Arbitrary<SpecDraft> =>
  fc.record(
    {
      numberOfClusters: fc.integer({ min: 0, max: 18 }),
      predicates: fc.constantFrom(
        [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod' } } } }],
        [{ requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } } }],
      ),
      tolerations: fc.constant([{ key: 'gpu', operator: 'Exists', tolerationSeconds: 50 }]),
      prioritizerPolicy,
      spreadPolicy: spread,
      sortBy: fc.constantFrom('ClusterName', 'Score'),
      decisionStrategy: fc.record({
        groupStrategy: fc.record({ clustersPerDecisionGroup: fc.constantFrom('100%', '30%', 3) }),
      }),
    },
    { requiredKeys: ['spreadPolicy'] },
  )
const spec = specWith(spreadPolicy())

const names = fc.array(fc.integer({ min: 0, max: 16 }).map((index) => `c${index}`))
const current = fc
  .record({
    decided: names,
    elsewhere: fc.dictionary(fc.constantFrom('c0', 'c1', 'c2', 'other'), fc.integer({ min: 1, max: 5 })),
    scores: fc.dictionary(
      fc.constantFrom('c0/demo/demo', 'c3/demo/demo', 'c5/demo/demo'),
      fc.integer({ min: -100, max: 100 }),
    ),
  })
  .map((draft) => state({ ...draft, lastScoreUpdateTime: at(-3600) }))

const chosen = ({ selected }: Schedule) => selected.map((item) => item.cluster)

/** The state after the result has been written. */
function written(draft: SpecDraft, result: Schedule, before: SchedulingState): SchedulingState {
  const { decisions } = layoutDecisions(compiled(draft), result, before)
  const decided = decisions.flatMap((object) => object.decisions).map((item) => [item.clusterName, item] as const)
  return { ...before, decided: new Map(decided) }
}

test('schedule: the order of candidates does not matter', () => {
  const shuffled = candidates.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
  )
  fc.assert(
    fc.property(spec, shuffled, current, (draft, [all, other], before) => {
      const [a, b] = [all, other].map((list) => schedule(compiled(draft), sets, list, before)) as [Schedule, Schedule]
      assert.deepEqual(a.selected, b.selected)
      assert.deepEqual([a.satisfied, a.nextAt, a.filterResults()], [b.satisfied, b.nextAt, b.filterResults()])
    }),
    RUNS,
  )
})

test('schedule: selects feasible clusters, each once, and never more than asked', () => {
  fc.assert(
    fc.property(spec, candidates, current, (draft, all, before) => {
      const result = schedule(compiled(draft), sets, all, before)
      const selected = chosen(result)
      assert.equal(new Set(selected).size, selected.length)
      assert.ok(selected.length <= ((draft.numberOfClusters as number | undefined) ?? all.length))
      const feasible = result.aggregatedScores().map(({ clusterName }) => clusterName)
      assert.ok(selected.every((name) => feasible.includes(name)))
    }),
    RUNS,
  )
})

test('schedule: does not change its own result', () => {
  fc.assert(
    fc.property(spec, candidates, current, (draft, all, before) => {
      const first = schedule(compiled(draft), sets, all, before)
      const after = written(draft, first, before)
      const second = schedule(compiled(draft), sets, all, after)
      assert.deepEqual(chosen(second).sort(), chosen(first).sort())
      const layouts = [layoutDecisions(compiled(draft), first, before), layoutDecisions(compiled(draft), second, after)]
      assert.deepEqual(layouts[1]?.decisions, layouts[0]?.decisions)
      assert.equal(layouts[1]?.scoresUpdated, false)
    }),
    RUNS,
  )
})

test('schedule: the skew of a DoNotSchedule constraint is never above maxSkew', () => {
  fc.assert(
    fc.property(specWith(spreadPolicy(fc.constant('DoNotSchedule'))), candidates, current, (draft, all, before) => {
      const parsed = compiled(draft)
      const result = schedule(parsed, sets, all, before)
      const feasible = new Set(result.aggregatedScores().map(({ clusterName }) => clusterName))
      const value = ({ topologyKey }: { topologyKey: string }, { labels, claims }: ClusterFacts) =>
        topologyKey === 'zone' ? labels.zone : claims.region
      const eligible = all.filter(
        (facts) => feasible.has(facts.name) && parsed.spread.every((item) => value(item, facts) !== undefined),
      )
      for (const item of parsed.spread) {
        const counts = new Map(eligible.map((facts) => [value(item, facts), 0]))
        for (const { facts } of result.selected)
          counts.set(value(item, facts), (counts.get(value(item, facts)) ?? 0) + 1)
        const skew = Math.max(...counts.values()) - Math.min(...counts.values())
        assert.ok(counts.size === 0 || skew <= (item.maxSkew ?? 1), `skew ${skew} of ${item.topologyKey}`)
      }
    }),
    RUNS,
  )
})

test('schedule: ScheduleAnyway selects as many clusters as without constraints', () => {
  fc.assert(
    fc.property(specWith(spreadPolicy(fc.constant('ScheduleAnyway'))), candidates, current, (draft, all, before) => {
      const spread = schedule(compiled(draft), sets, all, before)
      const plain = schedule(compiled({ ...draft, spreadPolicy: {} }), sets, all, before)
      assert.equal(spread.selected.length, plain.selected.length)
      assert.equal(spread.satisfied.reason, plain.satisfied.reason)
    }),
    RUNS,
  )
})

test('schedule: without constraints, selects the best in the order of totals and names', () => {
  fc.assert(
    fc.property(specWith(fc.constant({})), candidates, current, (draft, all, before) => {
      const result = schedule(compiled(draft), sets, all, before)
      const best = result.aggregatedScores().slice(0, result.selected.length)
      assert.deepEqual(
        result.selected.map((item) => ({ clusterName: item.cluster, score: item.score })),
        best,
      )
      const sorted = [...best].sort((a, b) => b.score - a.score || (a.clusterName < b.clusterName ? -1 : 1))
      assert.deepEqual(best, sorted)
    }),
    RUNS,
  )
})
