import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterNameProblem } from './cluster-name.js'

test('a cluster can be called what a namespace can', () => {
  for (const name of ['c1', 'default', 'local-cluster', 'workload', 'kubernetes', 'a'.repeat(63)]) {
    assert.equal(clusterNameProblem(name), undefined, name)
  }
  for (const name of ['', 'a.b', 'A', 'a:b', '-a', 'a'.repeat(64)]) {
    assert.match(clusterNameProblem(name) ?? '', /cannot be that of a namespace/, name)
  }
})

test('a cluster cannot be called what gives rights to others', () => {
  for (const name of ['work', 'registration'])
    assert.match(clusterNameProblem(name) ?? '', /role that all agents share/)
  assert.match(clusterNameProblem('managed-clusters') ?? '', /group of all agents/)
  for (const name of ['kube-system', 'kube-x', 'open-cluster-management', 'open-cluster-management-hub']) {
    assert.match(clusterNameProblem(name) ?? '', /belongs to the hub/, name)
  }
})
