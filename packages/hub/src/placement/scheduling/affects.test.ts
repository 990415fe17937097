import assert from 'node:assert/strict'
import { test } from 'node:test'
import { affects } from './affects.js'
import { cluster, compiled, type SpecDraft, state } from './scheduling.fixture.js'

type Traits = Parameters<typeof cluster>[1]

const prod = {
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod' } } } }],
}
const env = (value: string, more: Record<string, string> = {}): Traits => ({ labels: { env: value, ...more } })
const cpu = {
  prioritizerPolicy: {
    configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' }, weight: 1 }],
  },
}
const spread = {
  spreadPolicy: {
    spreadConstraints: [
      { topologyKey: 'zone', topologyKeyType: 'Label', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    ],
  },
}
const canary = {
  decisionStrategy: {
    groupStrategy: {
      decisionGroups: [{ groupName: 'canary', groupClusterSelector: { labelSelector: { matchLabels: { c: '1' } } } }],
    },
  },
}
const cel = {
  predicates: [
    {
      requiredClusterSelector: { celSelector: { celExpressions: ['managedCluster.metadata.labels["env"] == "prod"'] } },
    },
  ],
}
const avoided = [{ key: 'k', value: '', effect: 'PreferNoSelect' as const }]

const cases: [title: string, spec: SpecDraft, before: Traits | null, after: Traits | null, affected: boolean][] = [
  ['a label that is not read', prod, env('prod'), env('prod', { x: '1' }), false],
  ['a cluster that does not match', prod, env('dev'), env('test'), false],
  ['a cluster that starts to match', prod, env('dev'), env('prod'), true],
  ['a cluster that stops to match', prod, env('prod'), env('dev'), true],
  ['a new cluster', prod, null, env('prod'), true],
  ['a new cluster that does not match', prod, null, env('dev'), false],
  ['a cluster that is deleted', prod, env('prod'), null, true],
  ['CPU, which is not read', {}, { cpu: '1' }, { cpu: '2' }, false],
  ['CPU', cpu, { cpu: '1' }, { cpu: '2' }, true],
  ['CPU that stays absent', cpu, {}, {}, false],
  ['a topology key', spread, { labels: { zone: 'a' } }, { labels: { zone: 'b' } }, true],
  ['a decision group', canary, {}, { labels: { c: '1' } }, true],
  ['a taint that is avoided', {}, {}, { taints: avoided }, true],
  ['CEL', cel, env('dev'), env('prod'), true],
  ['CEL that stays false', cel, env('dev'), env('test'), false],
]

for (const [title, spec, before, after, affected] of cases) {
  test(`affects: ${title}`, () => {
    const facts = (traits: Traits | null) => (traits === null ? undefined : cluster('c1', traits))
    assert.equal(affects(compiled(spec), facts(before), facts(after), state()), affected)
  })
}

test('affects: a decided cluster that does not match', () => {
  const current = state({ decided: ['c1'] })
  assert.equal(affects(compiled(prod), cluster('c1'), cluster('c1', { labels: { x: '1' } }), current), true)
})
