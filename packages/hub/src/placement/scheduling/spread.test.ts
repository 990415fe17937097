import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster, run, type SpecDraft, state } from './scheduling.fixture.js'

const byZone = (more: object = {}) => ({
  topologyKey: 'zone',
  topologyKeyType: 'Label',
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  ...more,
})

const spread = (numberOfClusters: number | undefined, ...spreadConstraints: object[]): SpecDraft => ({
  ...(numberOfClusters !== undefined && { numberOfClusters }),
  spreadPolicy: { spreadConstraints },
})

/** `a1`, `a2` in zone a; `b1` in zone b. */
function zones(counts: Record<string, number>, more: (name: string) => Record<string, string> = () => ({})) {
  return Object.entries(counts).flatMap(([zone, count]) =>
    Array.from({ length: count }, (_, index) => {
      const name = `${zone}${index + 1}`
      return cluster(name, { labels: { zone, ...more(name) }, claims: { region: zone } })
    }),
  )
}

const names = (...args: Parameters<typeof run>) =>
  run(...args)
    .selected.map(({ cluster: name }) => name)
    .sort()

test('spread: selects evenly', () => {
  assert.deepEqual(names(spread(3, byZone()), zones({ a: 5, b: 5, c: 5 })), ['a1', 'b1', 'c1'])
  assert.deepEqual(names(spread(4, byZone()), zones({ a: 5, b: 5 })), ['a1', 'a2', 'b1', 'b2'])
})

test('spread: prefers higher scores within maxSkew', () => {
  const current = state({ elsewhere: { b1: 1, b2: 1 } })
  const candidates = zones({ a: 3, b: 2 })
  assert.deepEqual(names(spread(3, byZone({ maxSkew: 2 })), candidates, current), ['a1', 'a2', 'b1'])
  assert.deepEqual(names(spread(3, byZone({ maxSkew: 3 })), candidates, current), ['a1', 'a2', 'a3'])
})

test('spread: DoNotSchedule selects fewer clusters than requested, and says why', () => {
  const { selected, satisfied } = run(spread(5, byZone()), zones({ a: 5, b: 1 }))
  assert.deepEqual(
    selected.map((item) => item.cluster),
    ['a1', 'a2', 'b1'],
  )
  assert.deepEqual(satisfied, {
    status: 'False',
    reason: 'NotAllDecisionsScheduled',
    message: '2 cluster decisions unscheduled: more clusters would exceed the maxSkew of zone',
  })
})

test('spread: DoNotSchedule also limits placements without numberOfClusters', () => {
  const { selected, satisfied } = run(spread(undefined, byZone()), zones({ a: 3, b: 1 }))
  assert.equal(selected.length, 3)
  assert.equal(satisfied.message, '1 cluster decisions unscheduled: more clusters would exceed the maxSkew of zone')
})

test('spread: ScheduleAnyway exceeds maxSkew as little as possible', () => {
  const soft = byZone({ whenUnsatisfiable: 'ScheduleAnyway' })
  assert.deepEqual(names(spread(5, soft), zones({ a: 5, b: 1 })), ['a1', 'a2', 'a3', 'a4', 'b1'])
  assert.deepEqual(names(spread(5, soft), zones({ a: 5, b: 1, c: 4 })), ['a1', 'a2', 'b1', 'c1', 'c2'])
})

test('spread: DoNotSchedule does not select clusters without the key', () => {
  const candidates = [...zones({ a: 1, b: 1 }), cluster('none')]
  assert.deepEqual(names(spread(3, byZone()), candidates), ['a1', 'b1'])
})

test('spread: ScheduleAnyway selects clusters without the key last', () => {
  const candidates = [...zones({ a: 3, b: 1 }), cluster('0none')]
  const soft = byZone({ whenUnsatisfiable: 'ScheduleAnyway' })
  assert.deepEqual(names(spread(4, soft), candidates), ['a1', 'a2', 'a3', 'b1'])
  assert.deepEqual(names(spread(5, soft), candidates), ['0none', 'a1', 'a2', 'a3', 'b1'])
})

test('spread: a domain without feasible clusters does not hold back the others', () => {
  const taints = [{ key: 'down', value: '', effect: 'NoSelect' as const }]
  const candidates = [...zones({ a: 3 }), cluster('b1', { labels: { zone: 'b' }, taints })]
  assert.deepEqual(names(spread(3, byZone()), candidates), ['a1', 'a2', 'a3'])
})

test('spread: by claim', () => {
  const constraint = { ...byZone(), topologyKey: 'region', topologyKeyType: 'Claim' }
  assert.deepEqual(names(spread(2, constraint), zones({ a: 2, b: 2 })), ['a1', 'b1'])
})

test('spread: several constraints, the first is the most important', () => {
  const disk = (name: string): Record<string, string> => ({ disk: name.endsWith('1') ? 'ssd' : 'hdd' })
  const candidates = zones({ a: 2, b: 2 }, disk)
  const soft = (topologyKey: string) => byZone({ topologyKey, whenUnsatisfiable: 'ScheduleAnyway' })
  assert.deepEqual(names(spread(2, soft('zone'), soft('disk')), candidates), ['a1', 'b2'])
  const few = [...zones({ a: 2 }, disk), cluster('b1', { labels: { zone: 'b', disk: 'ssd' } })]
  assert.deepEqual(names(spread(2, soft('zone'), soft('disk')), few), ['a1', 'b1'])
  assert.deepEqual(names(spread(2, soft('disk'), soft('zone')), few), ['a1', 'a2'])
  assert.deepEqual(names(spread(2, soft('zone'), byZone({ topologyKey: 'disk' })), few), ['a1', 'a2'])
})

test('spread: a selection that Steady would change once it is decided is not decided', () => {
  const candidates = zones({ a: 4, b: 3, c: 2 })
  const scores: Record<string, number> = { a1: 90, a2: 90, a3: 90, a4: 50, b1: 90, b2: 90, b3: -90, c1: 90, c2: 5 }
  const prioritizerPolicy = {
    mode: 'Exact',
    configurations: [
      { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Steady' }, weight: 1 },
      { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'demo' } }, weight: 1 },
    ],
  }
  const spec = { ...spread(8, byZone({ maxSkew: 2 })), prioritizerPolicy }
  const current = (decided: string[]) =>
    state({
      decided,
      scores: Object.fromEntries(Object.entries(scores).map(([name, score]) => [`${name}/demo/demo`, score])),
    })
  const selected = names(spec, candidates, current(['b3']))
  assert.deepEqual(selected, ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2'])
  assert.deepEqual(names(spec, candidates, current(selected)), selected)
})
