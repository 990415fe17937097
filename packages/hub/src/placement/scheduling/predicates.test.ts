import assert from 'node:assert/strict'
import { test } from 'node:test'
import { affects } from './affects.js'
import { explain } from './explain.js'
import { schedule } from './schedule.js'
import { cluster, compiled, run, type SpecDraft, selectedBy, sets, state } from './scheduling.fixture.js'

const required = (...selectors: object[]): SpecDraft => ({
  predicates: selectors.map((requiredClusterSelector) => ({ requiredClusterSelector })),
})
const labels = (labelSelector: object) => required({ labelSelector })
const claims = (...matchExpressions: object[]) => required({ claimSelector: { matchExpressions } })
const cel = (...celExpressions: string[]) => required({ celSelector: { celExpressions } })

const clusters = [
  cluster('amazon', { labels: { cloud: 'Amazon', env: 'prod' }, claims: { region: 'us-east-1', 'id.k8s.io': '1' } }),
  cluster('azure', { labels: { cloud: 'Azure', env: 'dev' }, claims: { region: 'westeurope' } }),
  cluster('bare'),
]

const cases: [title: string, spec: SpecDraft, selected: string[]][] = [
  ['no predicates', {}, ['amazon', 'azure', 'bare']],
  ['an empty list', { predicates: [] }, ['amazon', 'azure', 'bare']],
  ['a predicate without selectors', { predicates: [{}] }, ['amazon', 'azure', 'bare']],
  ['matchLabels', labels({ matchLabels: { cloud: 'Amazon' } }), ['amazon']],
  ['In', labels({ matchExpressions: [{ key: 'env', operator: 'In', values: ['dev', 'test'] }] }), ['azure']],
  ['NotIn', labels({ matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['dev'] }] }), ['amazon', 'bare']],
  ['Exists', labels({ matchExpressions: [{ key: 'env', operator: 'Exists' }] }), ['amazon', 'azure']],
  ['DoesNotExist', labels({ matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] }), ['bare']],
  ['a key of every JavaScript object', labels({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }), []],
  ['claims', claims({ key: 'region', operator: 'In', values: ['us-east-1'] }), ['amazon']],
  ['claims that do not exist', claims({ key: 'id.k8s.io', operator: 'DoesNotExist' }), ['azure', 'bare']],
  [
    'labels and claims of one predicate',
    required({
      labelSelector: { matchLabels: { env: 'prod' } },
      claimSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['westeurope'] }] },
    }),
    [],
  ],
  [
    'one of several predicates',
    required({ labelSelector: { matchLabels: { env: 'prod' } } }, { labelSelector: { matchLabels: { env: 'dev' } } }),
    ['amazon', 'azure'],
  ],
  ['CEL on labels', cel('managedCluster.metadata.labels["cloud"] == "Azure"'), ['azure']],
  ['CEL on claims', cel('managedCluster.status.clusterClaims.exists(c, c.name == "region")'), ['amazon', 'azure']],
  [
    'several CEL expressions',
    cel('managedCluster.spec.hubAcceptsClient', 'managedCluster.metadata.name.startsWith("a")'),
    ['amazon', 'azure'],
  ],
  ['CEL that fails', cel('managedCluster.metadata.annotations["none"] == "x"'), []],
  ['CEL that returns no boolean', cel('managedCluster.metadata.name'), []],
  ['CEL with fields that are absent here', cel('managedCluster.status.version == {}'), ['amazon', 'azure', 'bare']],
]

for (const [title, spec, selected] of cases) {
  test(`Predicate: ${title}`, () => {
    assert.deepEqual(selectedBy(spec, clusters), selected)
  })
}

test('Predicate: CEL reads scores of AddOnPlacementScores', () => {
  const spec = cel('managedCluster.scores("quality").filter(s, s.name == "latency").all(s, s.value > 50)')
  const current = state({ scores: { 'amazon/quality/latency': 60, 'azure/quality/latency': 40 } })
  assert.deepEqual(selectedBy(spec, clusters, current), ['amazon'])
  const changed = state({ scores: { 'amazon/quality/latency': 40, 'azure/quality/latency': 60 } })
  assert.deepEqual(selectedBy(spec, clusters, changed), ['azure'])
})

test('Predicate: CEL parses JSON, with all numbers as doubles', () => {
  const candidates = [
    cluster('with', { claims: { gpu: '{"models": ["T4", "A100"], "count": 4}' } }),
    cluster('without', { claims: { gpu: '{"models": [], "count": 0}' } }),
    cluster('broken', { claims: { gpu: '{"models"' } }),
  ]
  const parsed = 'managedCluster.status.clusterClaims.filter(c, c.name == "gpu")[0].value.parseJSON()'
  assert.deepEqual(selectedBy(cel(`"A100" in ${parsed}.models`), candidates), ['with'])
  assert.deepEqual(selectedBy(cel(`type(${parsed}.count) == double`), candidates), ['with', 'without'])
  assert.deepEqual(selectedBy(cel(`${parsed}.count * 2.0 > 7.0`), candidates), ['with'])
})

test('Predicate: CEL does not parse JSON of very many levels', () => {
  const nested = (depth: number) => `'${'['.repeat(depth)}${']'.repeat(depth)}'.parseJSON() != 0`
  assert.deepEqual(selectedBy(cel(nested(100)), [cluster('c1')]), ['c1'])
  assert.deepEqual(selectedBy(cel(nested(3_000)), [cluster('c1')]), [])
  const { clusters: explained } = explain(compiled(cel(nested(3_000))), sets, [cluster('c1')], state())
  assert.match(explained[0]?.reason ?? '', /more than 100 levels/)
})

test('Predicate: a cluster for which CEL is too expensive does not match', () => {
  const numbers = `[${Array.from({ length: 40 }, (_, index) => index).join(',')}]`
  const loops = `${numbers}.all(a, ${numbers}.all(b, ${numbers}.all(c, ${numbers}.all(d, a + b + c + d >= 0))))`
  assert.deepEqual(selectedBy(cel(loops), [cluster('c1')]), [])
})

const expensive = `[${Array.from({ length: 40 }, () => '1').join(',')}]`
const costly = `${expensive}.all(a, ${expensive}.all(b, ${expensive}.all(c, a + b + c > 0)))`

test('Predicate: expressions that cost too much for all clusters together are a problem of the placement', () => {
  const few = Array.from({ length: 4 }, (_, index) => cluster(`c${index}`))
  const many = [...few, ...Array.from({ length: 120 }, (_, index) => cluster(`d${index}`))]
  const { spec, current } = { spec: compiled(cel(costly)), current: state() }
  const scheduled = (candidates: typeof few) => schedule(spec, sets, candidates, current)
  assert.equal(scheduled(few).selected.length, 4)
  const { selected, problem } = scheduled(many)
  assert.deepEqual(selected, [])
  assert.match(problem?.message ?? '', /^spec.predicates: the CEL expressions cost too much for 124 clusters: simplify/)
  assert.equal(explain(spec, sets, many, current).problem, problem?.message)
  assert.equal(affects(spec, many[0], cluster('c0', { labels: { a: 'b' } }), current), false)
  assert.equal(affects(spec, many[0], undefined, current), true)
  assert.equal(scheduled(few).selected.length, 4)
})

test('schedule: reports that no cluster matches', () => {
  const { satisfied, feasible } = run(labels({ matchLabels: { cloud: 'none' } }), clusters)
  assert.equal(feasible, 0)
  assert.deepEqual(satisfied, {
    status: 'False',
    reason: 'NoManagedClusterMatched',
    message: 'No ManagedCluster matches any of the cluster predicate',
  })
})
