import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layoutDecisions } from './layout.js'
import { at, cluster, compiled, run, type SpecDraft, state } from './scheduling.fixture.js'

const count = (length: number, prefix = 'c') =>
  Array.from({ length }, (_, index) => cluster(`${prefix}${String(index).padStart(3, '0')}`))

function layout(spec: SpecDraft, candidates: Parameters<typeof run>[1], current = state()) {
  return layoutDecisions(compiled(spec), run(spec, candidates, current), current)
}

/** `name group-index group-name: first..last (count)` of each PlacementDecision. */
function shape(spec: SpecDraft, candidates: Parameters<typeof run>[1], current = state()): string[] {
  return layout(spec, candidates, current).decisions.map(({ name, labels, decisions }) => {
    const index = labels['cluster.open-cluster-management.io/decision-group-index']
    const group = labels['cluster.open-cluster-management.io/decision-group-name']
    assert.equal(labels['cluster.open-cluster-management.io/placement'], 'web')
    const clusters = decisions.map(({ clusterName }) => clusterName)
    return `${name} ${index} ${group}: ${clusters.at(0)}..${clusters.at(-1)} (${clusters.length})`
  })
}

const groups = (groupStrategy: object) => ({ decisionStrategy: { groupStrategy } })
const group = (groupName: string, matchLabels: object) => ({
  groupName,
  groupClusterSelector: { labelSelector: { matchLabels } },
})

test('layoutDecisions: has one empty PlacementDecision if nothing is selected', () => {
  const { decisions, groups: status } = layout({}, [])
  assert.deepEqual(decisions, [
    {
      name: 'web-decision-1',
      labels: {
        'cluster.open-cluster-management.io/placement': 'web',
        'cluster.open-cluster-management.io/decision-group-name': '',
        'cluster.open-cluster-management.io/decision-group-index': '0',
      },
      decisions: [],
    },
  ])
  assert.deepEqual(status, [
    { decisionGroupIndex: 0, decisionGroupName: '', decisions: ['web-decision-1'], clusterCount: 0 },
  ])
})

test('layoutDecisions: has at most 100 decisions in an object, sorted by name', () => {
  const { groups: status } = layout({}, count(250).reverse())
  assert.deepEqual(shape({}, count(250).reverse()), [
    'web-decision-1 0 : c000..c099 (100)',
    'web-decision-2 0 : c100..c199 (100)',
    'web-decision-3 0 : c200..c249 (50)',
  ])
  assert.deepEqual(status, [
    {
      decisionGroupIndex: 0,
      decisionGroupName: '',
      decisions: ['web-decision-1', 'web-decision-2', 'web-decision-3'],
      clusterCount: 250,
    },
  ])
})

test('layoutDecisions: has only the groups before one with an error', () => {
  const candidates = [
    cluster('a', { labels: { canary: 'yes' } }),
    cluster('b', { labels: { ring: 'late' } }),
    cluster('c'),
  ]
  const invalid = group('invalid', { 'a b': 'x' })
  const after = groups({
    decisionGroups: [group('canary', { canary: 'yes' }), invalid, group('late', { ring: 'late' })],
  })
  assert.deepEqual(shape(after, candidates), ['web-decision-1 0 canary: a..a (1)'])
  assert.deepEqual(shape(groups({ decisionGroups: [invalid] }), candidates), [])
  assert.deepEqual(shape(groups({ clustersPerDecisionGroup: '5' }), candidates), [])
})

const sizes: [size: number | string, lengths: number[]][] = [
  ['100%', [7]],
  ['50%', [4, 3]],
  ['30%', [3, 3, 1]],
  ['1%', [1, 1, 1, 1, 1, 1, 1]],
  [3, [3, 3, 1]],
  [7, [7]],
  [8, [7]],
  [0, [7]],
]

for (const [clustersPerDecisionGroup, lengths] of sizes) {
  test(`layoutDecisions: ${clustersPerDecisionGroup} clusters of 7 in each group`, () => {
    const { groups: status } = layout(groups({ clustersPerDecisionGroup }), count(7))
    assert.deepEqual(
      status.map(({ clusterCount }) => clusterCount),
      lengths,
    )
    assert.deepEqual(
      status.map(({ decisionGroupIndex }) => decisionGroupIndex),
      lengths.map((_, index) => index),
    )
  })
}

test('layoutDecisions: named groups come first, and a cluster belongs to the first that selects it', () => {
  const candidates = [
    cluster('a', { labels: { ring: 'late', canary: 'yes' } }),
    cluster('b', { labels: { ring: 'late' } }),
    cluster('c', { labels: { canary: 'yes' } }),
    cluster('d'),
    cluster('e', { labels: { ring: 'late' } }),
    cluster('f', { labels: { ring: 'late' } }),
  ]
  const strategy = groups({
    decisionGroups: [group('canary', { canary: 'yes' }), group('none', { none: 'x' }), group('late', { ring: 'late' })],
    clustersPerDecisionGroup: 2,
  })
  assert.deepEqual(shape(strategy, candidates), [
    'web-decision-1 0 canary: a..c (2)',
    'web-decision-2 1 late: b..e (2)',
    'web-decision-3 2 late: f..f (1)',
    'web-decision-4 3 : d..d (1)',
  ])
})

test('layoutDecisions: numbers objects across groups', () => {
  const strategy = groups({ clustersPerDecisionGroup: 150 })
  assert.deepEqual(shape(strategy, count(200)), [
    'web-decision-1 0 : c000..c099 (100)',
    'web-decision-2 0 : c100..c149 (50)',
    'web-decision-3 1 : c150..c199 (50)',
  ])
})

const demo = (more: object = {}) => ({
  prioritizerPolicy: {
    configurations: [
      { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'demo' } }, weight: 1 },
    ],
  },
  ...more,
})
const two = [cluster('a'), cluster('b')]
const scores = { 'a/demo/demo': 1, 'b/demo/demo': 2 }

function decisionsOf(...args: Parameters<typeof layout>) {
  return layout(...args).decisions.flatMap(({ decisions }) => decisions)
}

test('layoutDecisions: decisions of a default placement have no score', () => {
  assert.deepEqual(decisionsOf({}, two), [
    { clusterName: 'a', reason: '' },
    { clusterName: 'b', reason: '' },
  ])
})

test('layoutDecisions: sortBy Score sorts by score, then by name', () => {
  const candidates = [...two, cluster('c')]
  const sorted = decisionsOf(demo({ sortBy: 'Score' }), candidates, state({ scores: { ...scores, 'c/demo/demo': 2 } }))
  assert.deepEqual(
    sorted.map(({ clusterName, score }) => [clusterName, score]),
    [
      ['b', 202],
      ['c', 202],
      ['a', 201],
    ],
  )
})

test('layoutDecisions: the scores of a decision do not change by being written', () => {
  const first = layout(demo(), two, state({ scores }))
  assert.equal(first.scoresUpdated, true)
  const decided = new Map(first.decisions.flatMap((object) => object.decisions).map((item) => [item.clusterName, item]))
  const second = layout(demo(), two, state({ scores, decided, lastScoreUpdateTime: at(-3600) }))
  assert.equal(second.scoresUpdated, false)
  assert.deepEqual(second.decisions, first.decisions)
})

test('layoutDecisions: changed scores are shown at most once per scoreRateLimit', () => {
  const spec = demo({ sortBy: 'Score', scoreRateLimit: '5m' })
  const decided = new Map([
    ['a', { reason: '', score: 201 }],
    ['b', { reason: '', score: 202 }],
  ])
  const changed = { 'a/demo/demo': 50, 'b/demo/demo': 2 }
  const early = layout(spec, two, state({ scores: changed, decided, lastScoreUpdateTime: at(-299) }))
  assert.deepEqual([early.scoresUpdated, early.nextAt], [false, at(1)])
  assert.deepEqual(
    early.decisions[0]?.decisions.map(({ clusterName, score }) => [clusterName, score]),
    [
      ['b', 202],
      ['a', 201],
    ],
  )
  const due = layout(spec, two, state({ scores: changed, decided, lastScoreUpdateTime: at(-300) }))
  assert.deepEqual([due.scoresUpdated, due.nextAt], [true, undefined])
  assert.deepEqual(
    due.decisions[0]?.decisions.map(({ clusterName, score }) => [clusterName, score]),
    [
      ['a', 250],
      ['b', 202],
    ],
  )
})

test('layoutDecisions: changed scores are shown at once if other clusters are selected', () => {
  const decided = new Map([['a', { reason: '', score: 201 }]])
  const { scoresUpdated, decisions } = layout(demo(), two, state({ scores, decided, lastScoreUpdateTime: at(-1) }))
  assert.equal(scoresUpdated, true)
  assert.equal(decisions[0]?.decisions.length, 2)
})
