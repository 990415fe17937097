import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '@orrery/kinds'
import type { MachineLook } from '../machine/machine.js'
import { dataVolumeOf, instanceOf, NOW } from '../testing.fixture.js'
import { phaseOf } from './phase.js'

const podOf = (phase: string, isReady = false, deletionTimestamp?: string): Pod =>
  ({
    metadata: { name: 'pod', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec: { containers: [] },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  }) as unknown as Pod
const look = (state: MachineLook['state'], reason?: 'shutdown' | 'killed' | 'crashed'): MachineLook => ({
  state,
  isFrozen: false,
  ...(reason !== undefined && { exit: { reason, at: NOW } }),
})
const deleted = '2030-01-01T00:00:00Z'
const none = { pod: undefined, dataVolumes: [], look: undefined }

test('phaseOf: follows the pod and the machine', () => {
  const ready = podOf('Running', true)
  const cases: [string, Partial<Parameters<typeof phaseOf>[1]>, string][] = [
    ['', {}, 'Pending'],
    ['Pending', {}, 'Pending'],
    ['Pending', { pod: podOf('Pending') }, 'Scheduling'],
    ['Pending', { dataVolumes: [dataVolumeOf('ImportInProgress')] }, 'Pending'],
    ['Pending', { dataVolumes: [dataVolumeOf('Failed')] }, 'Failed'],
    ['Scheduling', { pod: podOf('Pending') }, 'Scheduling'],
    ['Scheduling', { pod: ready }, 'Scheduled'],
    ['Scheduling', {}, 'Failed'],
    ['Scheduling', { pod: podOf('Failed') }, 'Failed'],
    ['Scheduling', { pod: podOf('Running', true, deleted) }, 'Failed'],
    ['Scheduled', { pod: ready, look: look('starting') }, 'Scheduled'],
    ['Scheduled', { pod: ready, look: look('running') }, 'Running'],
    ['Scheduled', { pod: ready, look: look('paused') }, 'Running'],
    ['Scheduled', { pod: ready, look: look('ended', 'crashed') }, 'Failed'],
    ['Running', { pod: ready, look: look('running') }, 'Running'],
    ['Running', { pod: ready, look: look('ended', 'shutdown') }, 'Succeeded'],
    ['Running', { pod: ready, look: look('ended', 'killed') }, 'Failed'],
    ['Running', { look: look('running') }, 'Failed'],
    ['Running', { pod: podOf('Succeeded'), look: look('running') }, 'Failed'],
    ['Succeeded', {}, 'Succeeded'],
    ['Failed', { pod: ready }, 'Failed'],
  ]
  for (const [phase, facts, expected] of cases) {
    assert.equal(phaseOf(instanceOf(phase), { ...none, ...facts }), expected, `${phase} ${JSON.stringify(facts)}`)
  }
})

test('phaseOf: an instance that is deleted before it runs fails', () => {
  const ending = (phase: string) => instanceOf(phase, {}, { deletionTimestamp: deleted })
  assert.equal(phaseOf(ending('Pending'), none), 'Failed')
  assert.equal(phaseOf(ending('Scheduling'), { ...none, pod: podOf('Running', true) }), 'Scheduling')
})
