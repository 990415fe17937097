import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain, explainMisconfigured } from './explain.js'
import type { ClusterExplanation } from './explanation.js'
import { Misconfigured } from './misconfigured.js'
import { at, cluster, compiled, type SpecDraft, sets, state } from './scheduling.fixture.js'

function explained(spec: SpecDraft, candidates: Parameters<typeof explain>[2], current = state()) {
  const result = explain(compiled(spec), sets, candidates, current)
  assert.deepEqual(JSON.parse(JSON.stringify(result)), result, 'serialisable as JSON')
  return result
}

function one(spec: SpecDraft, candidates: Parameters<typeof explain>[2], name: string, current = state()) {
  const found = explained(spec, candidates, current).clusters.find((item) => item.cluster === name)
  return found as ClusterExplanation
}

const prod = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod' } } } }],
}
const taint = { key: 'gpu', value: 'true', effect: 'NoSelect' as const }

test('explain: lists filters, prioritizers and every cluster, the selected ones first', () => {
  const candidates = [
    cluster('a'),
    cluster('b', { labels: { env: 'prod' } }),
    cluster('c', { labels: { env: 'prod' }, taints: [taint] }),
    cluster('d', { labels: { env: 'prod' } }),
    cluster('e', { labels: { env: 'prod' } }),
  ]
  const spec = { ...prod, numberOfClusters: 2 }
  const result = explained(spec, candidates, state({ decided: ['d'], elsewhere: { b: 1, e: 2 } }))
  assert.deepEqual(result.filters, [
    { name: 'Predicate', before: 5, after: 4 },
    { name: 'TaintToleration', before: 4, after: 3 },
  ])
  assert.deepEqual(result.prioritizers, [
    { name: 'Balance', weight: 1 },
    { name: 'Steady', weight: 1 },
  ])
  assert.deepEqual(
    result.clusters.map((item) => [item.cluster, item.outcome]),
    [
      ['d', 'Selected'],
      ['b', 'Selected'],
      ['e', 'NotSelected'],
      ['a', 'FilteredOut'],
      ['c', 'FilteredOut'],
    ],
  )
  assert.deepEqual([result.numberOfClusters, result.selected, result.satisfied.status], [2, 2, 'True'])
  assert.deepEqual(result.clusters[0], {
    cluster: 'd',
    outcome: 'Selected',
    scores: [
      {
        prioritizer: 'Balance',
        weight: 1,
        score: 100,
        detail: '0 decisions of other placements, and at most 2 on any cluster',
      },
      { prioritizer: 'Steady', weight: 1, score: 100, detail: 'already selected' },
    ],
    total: 200,
    rank: 1,
    decisionGroup: { index: 0, name: '' },
    reason: 'Selected: rank 1 of 3 with a total of 200.',
    toBeSelected: [],
  })
})

test('explain: a cluster that a predicate drops', () => {
  const candidates = [cluster('a', { labels: { env: 'dev' } }), cluster('b', { labels: { env: 'prod' } })]
  assert.deepEqual(one(prod, candidates, 'a'), {
    cluster: 'a',
    outcome: 'FilteredOut',
    filter: { name: 'Predicate', reason: 'label env is "dev", and "env=prod" is required' },
    reason: 'Filtered out by Predicate: label env is "dev", and "env=prod" is required.',
    toBeSelected: ['set label env=prod'],
  })
})

const requirements: [operator: string, values: string[] | undefined, remedy: string][] = [
  ['In', ['x', 'y'], 'set label k with one of x, y'],
  ['NotIn', ['v', 'w'], 'set label k with another value than v, w, or remove it'],
  ['DoesNotExist', undefined, 'remove label k'],
]

for (const [operator, values, remedy] of requirements) {
  test(`explain: what would have to change for ${operator}`, () => {
    const expression = { key: 'k', operator, ...(values && { values }) }
    const spec = {
      predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions: [expression] } } }],
    }
    assert.deepEqual(one(spec, [cluster('a', { labels: { k: 'v' } })], 'a').toBeSelected, [remedy])
  })
}

test('explain: lists clusters that are not selected by rank', () => {
  const candidates = ['a', 'b', 'c', 'd'].map((name) => cluster(name))
  const { clusters } = explained({ numberOfClusters: 1 }, candidates, state({ elsewhere: { a: 1, b: 4, c: 2 } }))
  assert.deepEqual(
    clusters.map((item) => [item.cluster, item.rank]),
    [
      ['d', 1],
      ['a', 2],
      ['c', 3],
      ['b', 4],
    ],
  )
  assert.equal(clusters[1]?.scores?.[0]?.detail, '1 decision of other placements, and at most 4 on any cluster')
})

test('explain: of several predicates, names all as alternatives, and first the one that the cluster is closest to', () => {
  const claim = { claimSelector: { matchExpressions: [{ key: 'region', operator: 'Exists' }] } }
  const spec = {
    predicates: [
      { requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod', tier: 'gold' } } } },
      { requiredClusterSelector: { ...claim, labelSelector: { matchLabels: { env: 'dev' } } } },
    ],
  }
  const { toBeSelected, filter } = one(spec, [cluster('a', { labels: { env: 'dev' } })], 'a')
  assert.deepEqual(toBeSelected, ['report claim region, or set label env=prod and set label tier=gold'])
  assert.equal(
    filter?.reason,
    'label env is "dev", and "env=prod" is required and label tier is not set, and "tier=gold" is required, ' +
      'or claim region is not set, and "region" is required',
  )
})

test('explain: a cluster that matches one of several predicates needs no other labels', () => {
  const [first] = prod.predicates
  const other = { requiredClusterSelector: { labelSelector: { matchLabels: { env: 'dev' } } } }
  const tainted = cluster('a', { labels: { env: 'dev' }, taints: [taint] })
  assert.deepEqual(one({ predicates: [first, other] }, [tainted], 'a').toBeSelected, [
    'remove taint gpu=true (NoSelect), or tolerate it in spec.tolerations',
  ])
})

test('explain: CEL expressions that are false, or fail', () => {
  const spec = (expression: string) => ({
    predicates: [{ requiredClusterSelector: { celSelector: { celExpressions: [expression] } } }],
  })
  const reason = (expression: string) => one(spec(expression), [cluster('a')], 'a').filter?.reason
  assert.equal(
    reason('managedCluster.metadata.name == "b"'),
    'CEL expression "managedCluster.metadata.name == \\"b\\"" is false',
  )
  assert.match(reason('managedCluster.metadata.other == "b"') ?? '', / fails: no such key: other$/)
})

test('explain: every change that is needed, when predicates, taints and the number of clusters are in the way', () => {
  const candidates = [cluster('a', { taints: [taint] }), cluster('b', { labels: { env: 'prod' } })]
  assert.deepEqual(one({ ...prod, numberOfClusters: 1 }, candidates, 'a').toBeSelected, [
    'set label env=prod',
    'remove taint gpu=true (NoSelect), or tolerate it in spec.tolerations',
    'rank among the first 1: the lowest total of a selected cluster is 100 (b), or raise spec.numberOfClusters',
  ])
})

test('explain: failover', () => {
  const excluded = { a: 'health score 10 is below 40' }
  const current = state({ excluded, returnCondition: 'PlacementFailover web: ClusterHealth above 80 for 5m' })
  const result = one({}, [cluster('a')], 'a', current)
  assert.deepEqual(result.filter, { name: 'Failover', reason: 'health score 10 is below 40' })
  assert.deepEqual(result.toBeSelected, [
    'meet the return condition of PlacementFailover web: ClusterHealth above 80 for 5m, or delete the PlacementFailover',
  ])
})

test('explain: a toleration that has ended', () => {
  const added = { ...taint, timeAdded: at(-60).toISOString() }
  const spec = { tolerations: [{ key: 'gpu', operator: 'Exists', tolerationSeconds: 30 }] }
  const { filter } = one(spec, [cluster('a', { taints: [added] })], 'a')
  assert.equal(filter?.reason, 'taint gpu=true (NoSelect) is no longer tolerated')
})

const demo = {
  numberOfClusters: 1,
  prioritizerPolicy: {
    mode: 'Exact',
    configurations: [
      { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'demo' } }, weight: 2 },
    ],
  },
}

test('explain: a total that is too low, and what would raise it', () => {
  const current = state({
    scores: {
      'a/demo/demo': 50,
      'b/demo/demo': { value: 20, validUntil: at(60) },
      'c/demo/demo': { value: 99, validUntil: at(-60) },
    },
  })
  const candidates = [cluster('a'), cluster('b'), cluster('c'), cluster('d')]
  const b = one(demo, candidates, 'b', current)
  assert.equal(b.reason, 'Not selected: its total of 40 is lower than 100 of a, the last selected.')
  assert.deepEqual(b.toBeSelected, [
    'raise its total from 40 to at least 101 (report a score of at least 51 for AddOn/demo/demo), ' +
      'or raise spec.numberOfClusters from 1 to at least 2',
  ])
  assert.deepEqual(b.scores, [
    { prioritizer: 'AddOn/demo/demo', weight: 2, score: 20, detail: 'value 20, valid until 2030-01-01T12:01:00Z' },
  ])
  const lacking = ['c', 'd'].map((name) => one(demo, candidates, name, current).scores?.[0])
  assert.deepEqual(lacking, [
    {
      prioritizer: 'AddOn/demo/demo',
      weight: 2,
      detail: 'value 99 expired at 2030-01-01T11:59:00Z, which counts as 0',
    },
    { prioritizer: 'AddOn/demo/demo', weight: 2, detail: 'no score reported, which counts as 0' },
  ])
})

test('explain: equal totals', () => {
  const { reason } = one(demo, [cluster('a'), cluster('b')], 'b')
  assert.equal(reason, 'Not selected: its total of 0 equals that of a, which comes first by name.')
})

const zone = (topologyKey: string, whenUnsatisfiable: string) => ({
  topologyKey,
  topologyKeyType: 'Label',
  maxSkew: 1,
  whenUnsatisfiable,
})

test('explain: a spread constraint', () => {
  const candidates = ['a', 'b', 'c'].map((name) => cluster(name, { labels: { zone: name === 'c' ? '2' : '1' } }))
  const hard = { spreadPolicy: { spreadConstraints: [zone('zone', 'DoNotSchedule')] } }
  const more = [...candidates, cluster('d', { labels: { zone: '1' } }), cluster('e')]
  const d = one(hard, more, 'd')
  assert.equal(
    d.reason,
    'Not selected because of the spread constraint for zone: ' +
      '2 clusters with zone=1 are selected and 1 with zone=2, and maxSkew is 1.',
  )
  assert.deepEqual(d.toBeSelected, [
    'add clusters with zone=2, or raise maxSkew of the spread constraint for zone, ' +
      'or set whenUnsatisfiable to ScheduleAnyway',
  ])
  assert.deepEqual(one(hard, more, 'e').toBeSelected, ['set label zone'])
  const soft = { numberOfClusters: 2, spreadPolicy: { spreadConstraints: [zone('zone', 'ScheduleAnyway')] } }
  const b = one(soft, candidates, 'b')
  assert.match(b.reason, /^Not selected because of the spread constraint for zone: /)
})

test('explain: decision groups', () => {
  const groupStrategy = {
    decisionGroups: [{ groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { c: '1' } } } }],
  }
  const candidates = [cluster('a'), cluster('b', { labels: { c: '1' } })]
  const { clusters } = explained({ decisionStrategy: { groupStrategy } }, candidates)
  assert.deepEqual(
    clusters.map((item) => [item.cluster, item.decisionGroup]),
    [
      ['a', { index: 1, name: '' }],
      ['b', { index: 0, name: 'canary' }],
    ],
  )
})

test('explain: reports an error in the decision groups', () => {
  const groupStrategy = { clustersPerDecisionGroup: '5' }
  const result = explain(compiled({ decisionStrategy: { groupStrategy } }), sets, [cluster('a')], state())
  assert.match(result.problem ?? '', /clustersPerDecisionGroup: "5" must be a number, or a percentage/)
  assert.deepEqual(
    result.clusters.map(({ outcome, decisionGroup }) => ({ outcome, decisionGroup })),
    [{ outcome: 'Selected', decisionGroup: undefined }],
  )
})

test('explainMisconfigured: names the field and the fix', () => {
  const problem = new Misconfigured('spec.numberOfClusters', 'must not be negative')
  const result = explainMisconfigured({ namespace: 'apps', name: 'web' }, problem, sets, [cluster('a')])
  assert.equal(result.problem, 'spec.numberOfClusters: must not be negative')
  assert.deepEqual([result.selected, result.clusters, result.satisfied.reason], [0, [], 'NoManagedClusterMatched'])
})
