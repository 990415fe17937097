import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster, ManagedClusterSet } from '@orrery/api'
import { membershipOf, setsOf } from './membership.js'

const cluster = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } }) as ManagedCluster

function setOf(name: string, values: readonly string[]): ManagedClusterSet {
  const labelSelector = { matchExpressions: [{ key: 'region', operator: 'In', values }] }
  const clusterSelector = { selectorType: 'LabelSelector', labelSelector }
  return { metadata: { name }, spec: { clusterSelector } } as unknown as ManagedClusterSet
}

test('setsOf: compiles the selector of a set once for all clusters', () => {
  const values = Array.from({ length: 20_000 }, (_, i) => `r${i}`)
  const sets = [setOf('all', values), setOf('few', ['r1', 'r2'])]
  const begin = process.cpuUsage().user
  for (let i = 0; i < 2_000; i++) {
    const names = setsOf(cluster(`c${i}`, { region: `r${i}` }), sets).map(({ metadata }) => metadata.name)
    assert.deepEqual(names, i === 1 || i === 2 ? ['all', 'few'] : ['all'])
  }
  const microseconds = process.cpuUsage().user - begin
  assert.ok(microseconds < 3_000_000, `${microseconds} µs`)
})

test('membershipOf: selects nothing if the selector is not valid', () => {
  assert.equal(membershipOf(setOf('bad', ['-']))(cluster('c', { region: '-' })), false)
})
