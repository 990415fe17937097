import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Misconfigured } from './misconfigured.js'
import { misconfiguredSchedule } from './schedule.js'
import { cluster, compiled, type SpecDraft, selectedBy, sets } from './scheduling.fixture.js'
import { clusterSetsOf } from './state.js'

const labels = (matchExpressions: object) => ({
  predicates: [{ requiredClusterSelector: { labelSelector: { matchExpressions: [matchExpressions] } } }],
})
const cel = (...celExpressions: string[]) => ({
  predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }],
})
const prioritizer = (scoreCoordinate: unknown, weight = 1) => ({
  prioritizerPolicy: { configurations: [{ scoreCoordinate, weight }] },
})
const groups = (groupStrategy: object) => ({ decisionStrategy: { groupStrategy } })

const rejected: [title: string, spec: SpecDraft, field: string, message: RegExp][] = [
  [
    'an unknown label operator',
    labels({ key: 'env', operator: 'Near', values: ['x'] }),
    'spec.predicates[0].requiredClusterSelector.labelSelector',
    /"Near" is not a valid label selector operator/,
  ],
  [
    'In without values',
    labels({ key: 'env', operator: 'In' }),
    'spec.predicates[0].requiredClusterSelector.labelSelector',
    /values set can't be empty/,
  ],
  [
    'a claim value that no label can have',
    {
      predicates: [
        { requiredClusterSelector: {} },
        {
          requiredClusterSelector: {
            claimSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['a b'] }] },
          },
        },
      ],
    },
    'spec.predicates[1].requiredClusterSelector.claimSelector',
    /Invalid value: "a b"/,
  ],
  [
    'CEL that does not compile',
    cel('managedCluster.metadata.name =='),
    'spec.predicates[0].requiredClusterSelector.celSelector.celExpressions[0]',
    /does not compile: ERROR/,
  ],
  [
    'CEL with an unknown variable',
    cel('cluster.metadata.name == "x"'),
    'spec.predicates[0].requiredClusterSelector.celSelector.celExpressions[0]',
    /undeclared reference to 'cluster'/,
  ],
  [
    'CEL expressions that are too long together',
    cel(`"${'x'.repeat(80_000)}" == ""`, `"${'x'.repeat(80_000)}" == ""`),
    'spec.predicates[0].requiredClusterSelector.celSelector.celExpressions[1]',
    /too long/,
  ],
  ['Equal without a key', { tolerations: [{ value: 'x' }] }, 'spec.tolerations[0].operator', /must be Exists/],
  [
    'Exists with a value',
    { tolerations: [{ operator: 'Exists' }, { key: 'a', operator: 'Exists', value: 'x' }] },
    'spec.tolerations[1].value',
    /must be empty/,
  ],
  ['an unknown mode', { prioritizerPolicy: { mode: 'Some' } }, 'spec.prioritizerPolicy.mode', /Additive or Exact/],
  [
    'no coordinate',
    prioritizer(undefined),
    'spec.prioritizerPolicy.configurations[0].scoreCoordinate',
    /set builtIn or addOn/,
  ],
  [
    'an unknown built-in prioritizer',
    prioritizer({ type: 'BuiltIn', builtIn: 'Spread' }),
    'spec.prioritizerPolicy.configurations[0].scoreCoordinate.builtIn',
    /"Spread" does not exist: use one of Balance, Steady,/,
  ],
  [
    'no add-on',
    prioritizer({ type: 'AddOn' }),
    'spec.prioritizerPolicy.configurations[0].scoreCoordinate.addOn',
    /set resourceName and scoreName/,
  ],
  [
    'more predicates than can be applied to a large fleet at once',
    {
      predicates: Array.from({ length: 251 }, (_, index) => ({
        requiredClusterSelector: { labelSelector: { matchLabels: { region: `r${index}` } } },
      })),
    },
    'spec.predicates',
    /has 502 rules, and at most 500 are allowed/,
  ],
  [
    'too many tolerations',
    { tolerations: Array.from({ length: 501 }, (_, index) => ({ key: `k${index}`, operator: 'Exists' })) },
    'spec.tolerations',
    /has 501 rules/,
  ],
  ['a negative number', { numberOfClusters: -1 }, 'spec.numberOfClusters', /must not be negative/],
]

for (const [title, spec, field, message] of rejected) {
  test(`compilePlacement: rejects ${title}`, () => {
    assert.throws(
      () => compiled(spec),
      (error) => {
        assert.ok(error instanceof Misconfigured)
        assert.equal(error.field, field)
        assert.match(error.message, message)
        assert.ok(error.message.startsWith(`${field}: `))
        return true
      },
    )
  })
}

const groupErrors: [title: string, spec: SpecDraft, field: string, message: RegExp][] = [
  [
    'a group size that is neither a number nor a percentage',
    groups({ clustersPerDecisionGroup: '5' }),
    'spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup',
    /"5" must be a number, or a percentage/,
  ],
  [
    'an invalid selector of a decision group',
    groups({
      decisionGroups: [{ groupName: 'g1', groupClusterSelector: { labelSelector: { matchLabels: { 'a b': 'x' } } } }],
    }),
    'spec.decisionStrategy.groupStrategy.decisionGroups[0].groupClusterSelector.labelSelector',
    /name part must consist of/,
  ],
]

for (const [title, spec, field, message] of groupErrors) {
  test(`compilePlacement: reports ${title}, and selects clusters nevertheless`, () => {
    const { problem } = compiled(spec)
    assert.equal(problem?.field, field)
    assert.match(problem.message, message)
    assert.deepEqual(selectedBy(spec, [cluster('c1')]), ['c1'])
  })
}

test('compilePlacement: accepts prioritizers with weight 0, whatever they are', () => {
  const { prioritizers } = compiled(prioritizer({ type: 'BuiltIn', builtIn: 'Spread' }, 0))
  assert.deepEqual(
    prioritizers.map(({ name }) => name),
    ['Balance', 'Steady'],
  )
})

test('compilePlacement: reports what the placement reads', () => {
  const { reads } = compiled({
    ...cel('managedCluster.scores("quality").size() > 0'),
    prioritizerPolicy: {
      mode: 'Exact',
      configurations: [
        { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'load' } } },
        { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ClusterHealth' } },
        { scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableMemory' } },
      ],
    },
  })
  assert.deepEqual(reads, {
    scores: [
      { resource: 'demo', name: 'load' },
      { resource: 'managedclusterscore', name: 'clusterhealth' },
    ],
    celScores: true,
    cel: true,
    balance: false,
    cpu: false,
    memory: true,
  })
})

test('misconfiguredSchedule: selects nothing, and names missing sets first', () => {
  const { selected, satisfied } = misconfiguredSchedule(sets, [cluster('c1')])
  assert.deepEqual([selected, satisfied.reason], [[], 'NoManagedClusterMatched'])
  assert.equal(misconfiguredSchedule(clusterSetsOf([], []), []).satisfied.reason, 'NoManagedClusterSetBindings')
})
