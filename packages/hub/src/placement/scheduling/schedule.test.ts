import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schedule } from './schedule.js'
import { cluster, compiled, run, type SpecDraft, state } from './scheduling.fixture.js'
import { clusterSetsOf } from './state.js'

const three = [cluster('c1'), cluster('c2'), cluster('c3')]

test('clusterSetsOf: uses the sets that are bound and requested', () => {
  assert.deepEqual(clusterSetsOf(undefined, ['b', 'a']), { bound: ['a', 'b'], requested: [], used: ['a', 'b'] })
  assert.deepEqual(clusterSetsOf(['b', 'x'], ['b', 'a']), { bound: ['a', 'b'], requested: ['b', 'x'], used: ['b'] })
})

const conditions: [title: string, spec: SpecDraft, sets: ReturnType<typeof clusterSetsOf>, n: number, is: string[]][] =
  [
    [
      'no binding',
      {},
      clusterSetsOf([], []),
      0,
      ['False', 'NoManagedClusterSetBindings', 'No valid ManagedClusterSetBindings found in placement namespace'],
    ],
    [
      'no requested set is bound',
      {},
      clusterSetsOf(['x', 'y'], ['a']),
      0,
      ['False', 'NoIntersection', 'None of ManagedClusterSets [x,y] is bound to placement namespace'],
    ],
    [
      'no clusters',
      {},
      clusterSetsOf([], ['b', 'a']),
      0,
      ['False', 'AllManagedClusterSetsEmpty', 'All ManagedClusterSets [a,b] have no member ManagedCluster'],
    ],
    [
      'zero clusters requested',
      { numberOfClusters: 0 },
      clusterSetsOf([], ['a']),
      3,
      ['False', 'NoManagedClusterMatched', 'No ManagedCluster matches any of the cluster predicate'],
    ],
    [
      'all clusters',
      {},
      clusterSetsOf([], ['a']),
      3,
      ['True', 'AllDecisionsScheduled', 'All cluster decisions scheduled'],
    ],
    [
      'enough clusters',
      { numberOfClusters: 2 },
      clusterSetsOf([], ['a']),
      3,
      ['True', 'AllDecisionsScheduled', 'All cluster decisions scheduled'],
    ],
    [
      'too few clusters',
      { numberOfClusters: 5 },
      clusterSetsOf([], ['a']),
      3,
      ['False', 'NotAllDecisionsScheduled', '2 cluster decisions unscheduled'],
    ],
  ]

for (const [title, spec, sets, count, [status, reason, message]] of conditions) {
  test(`PlacementSatisfied: ${title}`, () => {
    const { satisfied } = schedule(compiled(spec), sets, three.slice(0, count), state())
    assert.deepEqual(satisfied, { status, reason, message })
  })
}

test('filterResults: lists the clusters after each filter, and Failover only if one applies', () => {
  const taints = [{ key: 'k', value: '', effect: 'NoSelect' as const }]
  const candidates = [cluster('a', { labels: { x: '1' } }), cluster('b', { labels: { x: '1' }, taints }), cluster('c')]
  const spec = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { x: '1' } } } }] }
  const filters = [
    { name: 'Predicate', filteredClusters: ['a', 'b'] },
    { name: 'Predicate,TaintToleration', filteredClusters: ['a'] },
  ]
  assert.deepEqual(run(spec, candidates).filterResults(), filters)
  assert.deepEqual(run(spec, candidates, state({ excluded: { a: 'unhealthy' } })).filterResults(), [
    ...filters,
    { name: 'Predicate,TaintToleration,Failover', filteredClusters: [] },
  ])
})

function reasons(spec: SpecDraft, candidates: Parameters<typeof run>[1], current: ReturnType<typeof state>) {
  return Object.fromEntries(run(spec, candidates, current).selected.map(({ cluster: name, reason }) => [name, reason]))
}

test('reasons: are empty in the first decision, and for clusters that are added', () => {
  assert.deepEqual(reasons({}, three, state()), { c1: '', c2: '', c3: '' })
  assert.deepEqual(reasons({}, three, state({ decided: ['c1'] })), { c1: '', c2: '', c3: '' })
})

test('reasons: a cluster that replaces another one names the cause, and keeps the reason', () => {
  const unreachable = { key: 'cluster.open-cluster-management.io/unreachable', value: '', effect: 'NoSelect' as const }
  const candidates = [cluster('c1'), cluster('c2', { taints: [unreachable] }), cluster('c3')]
  const spec = { numberOfClusters: 2 }
  const replaced = {
    c1: '',
    c3: 'replaces c2: taint cluster.open-cluster-management.io/unreachable (NoSelect) is not tolerated',
  }
  assert.deepEqual(reasons(spec, candidates, state({ decided: ['c1', 'c2'] })), replaced)
  const decided = new Map(Object.entries(replaced).map(([name, reason]) => [name, { reason }]))
  assert.deepEqual(reasons(spec, candidates, state({ decided })), replaced)
})

const causes: [title: string, candidates: typeof three, current: Parameters<typeof state>[0], reason: string][] = [
  [
    'a changed label',
    [cluster('c1'), cluster('c2', { labels: { env: 'dev' } })],
    {},
    'label env is not set, and "env" is required',
  ],
  [
    'a cluster that has left its set',
    [cluster('c2', { labels: { env: 'dev' } })],
    {},
    'it is no longer in a cluster set of the placement',
  ],
  [
    'a lower score',
    [cluster('c1', { labels: { env: 'dev' } }), cluster('c2', { labels: { env: 'dev' } })],
    { elsewhere: { c1: 1 }, scores: { 'c2/demo/demo': 100 } },
    'its score is 0, and that of c2 is 200',
  ],
  [
    'failover',
    [cluster('c1', { labels: { env: 'dev' } }), cluster('c2', { labels: { env: 'dev' } })],
    { excluded: { c1: 'health score 10 is below 40' } },
    'health score 10 is below 40',
  ],
]

for (const [title, candidates, current, reason] of causes) {
  test(`reasons: ${title}`, () => {
    const spec = {
      numberOfClusters: 1,
      predicates: [
        { requiredClusterSelector: { labelSelector: { matchExpressions: [{ key: 'env', operator: 'Exists' }] } } },
      ],
      prioritizerPolicy: {
        configurations: [
          { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'demo' } }, weight: 1 },
        ],
      },
    }
    const result = reasons(spec, candidates, state({ ...current, decided: ['c1'] }))
    assert.deepEqual(result, { c2: `replaces c1: ${reason}` })
  })
}

test('reasons: have at most 256 characters', () => {
  const taints = [{ key: `example.com/${'x'.repeat(300)}`, value: '', effect: 'NoSelect' as const }]
  const current = state({ decided: ['c1'] })
  const { c2 = '' } = reasons({}, [cluster('c1', { taints }), cluster('c2')], current)
  assert.equal(c2.length, 256)
})
