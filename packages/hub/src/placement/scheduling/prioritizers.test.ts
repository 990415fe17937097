import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOf } from './facts.js'
import { at, cluster, run, type SpecDraft, selectedBy, state } from './scheduling.fixture.js'

const exact = (...configurations: object[]): SpecDraft => ({ prioritizerPolicy: { mode: 'Exact', configurations } })
const builtIn = (name: string, weight = 1) => ({ scoreCoordinate: { type: 'BuiltIn', builtIn: name }, weight })
const addOn = (resourceName: string, scoreName: string, weight = 1) => ({
  scoreCoordinate: { type: 'AddOn', addOn: { resourceName, scoreName } },
  weight,
})

function scores(spec: SpecDraft, candidates: Parameters<typeof run>[1], current = state()) {
  return Object.fromEntries(
    run(spec, candidates, current)
      .aggregatedScores()
      .map((item) => [item.clusterName, item.score]),
  )
}

const three = [cluster('c1'), cluster('c2'), cluster('c3')]

test('Balance: 100 without decisions of other placements', () => {
  assert.deepEqual(scores(exact(builtIn('Balance')), three), { c1: 100, c2: 100, c3: 100 })
})

test('Balance: from 100 to -100 by the share of the highest number of decisions, truncated', () => {
  const current = state({ elsewhere: { c1: 1, c2: 2, c3: 3 } })
  assert.deepEqual(scores(exact(builtIn('Balance')), three, current), { c1: 32, c2: -32, c3: -100 })
})

test('Balance: the highest number of decisions can be that of a cluster that is no candidate', () => {
  const current = state({ elsewhere: { c1: 1, other: 4 } })
  assert.deepEqual(scores(exact(builtIn('Balance')), three, current), { c1: 50, c2: 100, c3: 100 })
})

test('Steady: 100 for clusters that are already selected', () => {
  assert.deepEqual(scores(exact(builtIn('Steady')), three, state({ decided: ['c2'] })), { c1: 0, c2: 100, c3: 0 })
})

test('ResourceAllocatable: from -100 to 100 by the allocatable amount, truncated', () => {
  const candidates = [
    cluster('c1', { cpu: '10', memory: '1Gi' }),
    cluster('c2', { cpu: '2500m', memory: '4Gi' }),
    cluster('c3', { cpu: '7', memory: '3Gi' }),
  ]
  assert.deepEqual(scores(exact(builtIn('ResourceAllocatableCPU')), candidates), { c1: 100, c2: -100, c3: 19 })
  assert.deepEqual(scores(exact(builtIn('ResourceAllocatableMemory')), candidates), { c1: -100, c2: 100, c3: 33 })
})

test('ResourceAllocatable: equal amounts give 100, and clusters without the resource have no score', () => {
  const candidates = [cluster('c1', { cpu: '4' }), cluster('c2', { cpu: '4' }), cluster('c3')]
  const [result] = run(exact(builtIn('ResourceAllocatableCPU')), candidates).prioritizerResults()
  assert.deepEqual(result, { name: 'ResourceAllocatableCPU', weight: 1, scores: { c1: 100, c2: 100 } })
  assert.deepEqual(scores(exact(builtIn('ResourceAllocatableMemory')), candidates), { c1: 0, c2: 0, c3: 0 })
})

test('ResourceAllocatable: a resource of zero counts, and one without a capacity does not', () => {
  const zero = [cluster('c1', { cpu: '0' }), cluster('c2', { cpu: '0' })]
  assert.deepEqual(scores(exact(builtIn('ResourceAllocatableCPU')), zero), { c1: 100, c2: 100 })
  const { cluster: object } = cluster('c3', { cpu: '8' })
  const withoutCapacity = factsOf({ ...object, status: { ...object.status, capacity: {} } })
  const [result] = run(exact(builtIn('ResourceAllocatableCPU')), [...zero, withoutCapacity]).prioritizerResults()
  assert.deepEqual(result?.scores, { c1: 100, c2: 100 })
})

test('AddOn: the reported value, 0 if there is none', () => {
  const current = state({ scores: { 'c1/demo/demo': 30, 'c2/demo/demo': -40, 'c3/demo/other': 90 } })
  const { aggregatedScores, prioritizerResults } = run(exact(addOn('demo', 'demo', 2)), three, current)
  assert.deepEqual(prioritizerResults(), [{ name: 'AddOn/demo/demo', weight: 2, scores: { c1: 30, c2: -40, c3: 0 } }])
  assert.deepEqual(aggregatedScores(), [
    { clusterName: 'c1', score: 60 },
    { clusterName: 'c3', score: 0 },
    { clusterName: 'c2', score: -80 },
  ])
})

test('AddOn: an expired score counts as 0 and is reported, and nextAt is when the next one expires', () => {
  const current = state({
    scores: {
      'c1/demo/demo': { value: 30, validUntil: at(-1) },
      'c2/demo/demo': { value: 20, validUntil: at(0) },
      'c3/demo/demo': { value: 10, validUntil: at(60) },
    },
  })
  const result = run(exact(addOn('demo', 'demo')), three, current)
  assert.deepEqual(
    result.selected.map(({ cluster: name, score }) => [name, score]),
    [
      ['c2', 20],
      ['c3', 10],
      ['c1', 0],
    ],
  )
  assert.deepEqual(result.expiredScores, [{ cluster: 'c1', resource: 'demo', prioritizer: 'AddOn/demo/demo' }])
  assert.deepEqual(result.nextAt, new Date(at(0).getTime() + 1))
})

test('ManagedClusterScore: read by an AddOn coordinate or by the name of a calculator', () => {
  const current = state({
    scores: { 'c1/managedclusterscore/clusterhealth': 80, 'c2/managedclusterscore/clusterhealth': -5 },
  })
  const expected = { c1: 80, c2: -5, c3: 0 }
  assert.deepEqual(scores(exact(builtIn('ClusterHealth')), three, current), expected)
  assert.deepEqual(scores(exact(addOn('managedclusterscore', 'ClusterHealth')), three, current), expected)
})

test('ManagedClusterScore: values outside -100 to 100 scale the scores of all clusters', () => {
  const current = state({
    scores: {
      'c1/managedclusterscore/requests': 5000,
      'c2/managedclusterscore/requests': 1000,
      'c3/managedclusterscore/requests': 2000,
    },
  })
  assert.deepEqual(scores(exact(addOn('managedclusterscore', 'requests')), three, current), {
    c1: 100,
    c2: -100,
    c3: -50,
  })
})

test('ManagedClusterScore: an extreme value of a built-in calculator does not scale the scores of other clusters', () => {
  const current = state({
    scores: {
      'c1/managedclusterscore/resourceratiocpu': Number.MIN_SAFE_INTEGER,
      'c2/managedclusterscore/resourceratiocpu': 10,
    },
  })
  const expected = { c1: -100, c2: 10, c3: 0 }
  assert.deepEqual(scores(exact(builtIn('ResourceRatioCPU')), three, current), expected)
  assert.deepEqual(scores(exact(addOn('managedclusterscore', 'ResourceRatioCPU')), three, current), expected)
})

test('ManagedClusterScore: a missing score is 0, also if others are scaled', () => {
  const current = state({
    scores: { 'c1/managedclusterscore/requests': 5000, 'c2/managedclusterscore/requests': 1000 },
  })
  assert.deepEqual(scores(exact(addOn('managedclusterscore', 'requests')), three, current), {
    c1: 100,
    c2: -100,
    c3: 0,
  })
})

test('weights: Additive adds to the defaults and replaces their weights', () => {
  const current = state({ decided: ['c1'], elsewhere: { c1: 1 }, scores: { 'c2/demo/demo': 90 } })
  const additive = (...configurations: object[]) => scores({ prioritizerPolicy: { configurations } }, three, current)
  assert.deepEqual(additive(), { c1: 0, c2: 100, c3: 100 })
  assert.deepEqual(additive(builtIn('Steady', 3)), { c1: 200, c2: 100, c3: 100 })
  assert.deepEqual(additive(builtIn('Balance', 0), addOn('demo', 'demo', -2)), { c1: 100, c2: -180, c3: 0 })
})

test('weights: the last of two configurations of a built-in prioritizer counts, and all of an add-on', () => {
  const current = state({ decided: ['c1'], scores: { 'c2/demo/demo': 10 } })
  const spec = exact(builtIn('Steady', 5), builtIn('Steady', 2), addOn('demo', 'demo', 1), addOn('demo', 'demo', 2))
  assert.deepEqual(scores(spec, three, current), { c1: 200, c2: 30, c3: 0 })
})

test('schedule: selects the highest totals, and the first names among equal ones', () => {
  const names = Array.from({ length: 40 }, (_, index) => `c${index + 10}`)
  const candidates = names.map((name) => cluster(name)).reverse()
  const current = state({ scores: { 'c44/demo/demo': 5, 'c21/demo/demo': 7 } })
  const spec = { ...exact(addOn('demo', 'demo')), numberOfClusters: 4 }
  assert.deepEqual(selectedBy(spec, candidates, current), ['c21', 'c44', 'c10', 'c11'])
})
