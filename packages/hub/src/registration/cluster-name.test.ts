import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterNameProblem } from './cluster-name.js'

test('clusterNameProblem: allows names of namespaces', () => {
  for (const name of ['c1', 'default', 'local-cluster', 'workload', 'kubernetes', 'a'.repeat(63)]) {
    assert.equal(clusterNameProblem(name), undefined, name)
  }
  for (const name of ['', 'a.b', 'A', 'a:b', '-a', 'a'.repeat(64)]) {
    assert.match(clusterNameProblem(name) ?? '', /is not a valid namespace name/, name)
  }
})

test('clusterNameProblem: refuses names that would grant permissions of others', () => {
  for (const name of ['work', 'registration'])
    assert.match(clusterNameProblem(name) ?? '', /role that all agents share/)
  assert.match(clusterNameProblem('managed-clusters') ?? '', /group of all agents/)
  for (const name of ['kube-system', 'kube-x', 'open-cluster-management', 'open-cluster-management-hub']) {
    assert.match(clusterNameProblem(name) ?? '', /belongs to the hub/, name)
  }
})
