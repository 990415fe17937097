import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricRegistry } from '@orrery/kube/metrics'
import { FakeClock } from '@orrery/kube/testing'
import type { ExecutionResult, ResourceResult } from '../run/execution.js'
import { Deletions } from './deletions.js'

const RESULT: ExecutionResult = {
  ...{ status: 'success', skipReason: undefined, params: {}, preconditions: [], resources: [] },
  ...{ discovered: {}, postActions: [], errors: {} },
}
const DELETE: ResourceResult = {
  ...{ name: 'hostedCluster', kind: 'ManifestWork', namespace: 'c1', resourceName: 'w', reason: '' },
  ...{ status: 'success', operation: 'delete' },
}

function start() {
  const clock = new FakeClock(new Date('2030-01-01T00:00:00Z'))
  const registry = new MetricRegistry()
  const deletions = new Deletions(registry, '', clock)
  const value = (series: string) =>
    registry
      .render()
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1)
  const inProgress = () => value('resource_deletions_in_progress')
  const durations = () => [
    value('resource_deletion_duration_seconds_count'),
    value('resource_deletion_duration_seconds_sum'),
  ]
  return { clock, deletions, inProgress, durations }
}

const deleting = { ...RESULT, resources: [{ ...DELETE, discoveredState: {} }], discovered: { hostedCluster: {} } }
const gone = { ...RESULT, resources: [DELETE] }

test('Deletions: measures from the request to the event that finds the resource gone', () => {
  const { clock, deletions, inProgress, durations } = start()
  deletions.observe('a', deleting)
  deletions.observe('b', deleting)
  clock.advance(20_000)
  deletions.observe('a', deleting)
  assert.deepEqual([inProgress(), durations()], ['2', ['0', '0']])
  deletions.observe('a', gone)
  assert.deepEqual([inProgress(), durations()], ['1', ['1', '20']])
  deletions.observe('a', gone)
  assert.deepEqual(durations(), ['1', '20'])
})

test('Deletions: uses the time of a deletion that an earlier process requested', () => {
  const { deletions, inProgress, durations } = start()
  const state = { metadata: { deletionTimestamp: '2029-12-31T23:59:00Z' } }
  deletions.observe('a', { ...deleting, resources: [{ ...DELETE, discoveredState: state }] })
  deletions.observe('a', gone)
  assert.deepEqual([inProgress(), durations()], ['0', ['1', '60']])
})

test('Deletions: does not count a failed deletion, nor a resource that is created again', () => {
  const { deletions, inProgress, durations } = start()
  deletions.observe('a', { ...deleting, resources: [{ ...DELETE, status: 'failed' }] })
  assert.equal(inProgress(), '0')
  deletions.observe('a', deleting)
  deletions.observe('a', { ...RESULT, resources: [{ ...DELETE, operation: 'create' }] })
  assert.deepEqual([inProgress(), durations()], ['0', ['0', '0']])
})
