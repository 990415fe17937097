import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@orrery/kinds/rbac'
import { aggregatedRules, hasRules } from './aggregation.js'
import type { AnyRole } from './rbacobjects.js'

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] })
const labelled = (name: string, label: string, ...resources: string[]): AnyRole => ({
  metadata: { name, labels: { [label]: 'true' } },
  rules: resources.map(rule),
})
const aggregate: AnyRole = {
  metadata: { name: 'all', labels: { x: 'true' } },
  rules: [rule('stale')],
  aggregationRule: {
    clusterRoleSelectors: [{ matchLabels: { x: 'true' } }, { matchExpressions: [{ key: 'y', operator: 'Exists' }] }],
  },
}

test('aggregatedRules: collects rules by selector and name, each once, without those of the role itself', () => {
  const roles = [
    labelled('b', 'x', 'pods', 'nodes'),
    labelled('a', 'x', 'nodes'),
    labelled('c', 'y', 'pods', 'events'),
    labelled('d', 'z', 'secrets'),
    aggregate,
  ]
  const rules = aggregatedRules(aggregate, roles)
  assert.deepEqual(
    rules?.map(({ resources }) => resources?.[0]),
    ['nodes', 'pods', 'events'],
  )
  assert.equal(hasRules(aggregate, rules ?? []), false)
  assert.equal(hasRules({ ...aggregate, rules: rules ?? [] }, rules ?? []), true)
})

test('aggregatedRules: ignores a role without an aggregation rule and returns nothing without selectors', () => {
  assert.equal(aggregatedRules(labelled('a', 'x', 'pods'), []), undefined)
  assert.deepEqual(aggregatedRules({ metadata: { name: 'a' }, aggregationRule: {} }, [labelled('b', 'x', 'pods')]), [])
})

test('aggregatedRules: refuses more rules than a role can contain', () => {
  const many = Array.from({ length: 30_000 }, (_, i) => `a-resource-of-a-name-that-is-not-short-${i}`)
  assert.throws(() => aggregatedRules(aggregate, [labelled('a', 'x', ...many)]), /have more than 1500000 characters/)
})
