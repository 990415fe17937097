import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerState, PodSpec } from '@orrery/kinds'
import { phaseOf } from './phase.js'
import { ended, podOf, RUNNING, statusOf, WAITING } from './testing.fixture.js'

type Policy = PodSpec['restartPolicy']

function phase(restartPolicy: Policy, main: readonly ContainerState[], init: readonly ContainerState[] = []): string {
  const named = (states: readonly ContainerState[], kind: string) =>
    states.map((state, index) => statusOf(`${kind}${index}`, state))
  const mains = named(main, 'main')
  const inits = named(init, 'init')
  const pod = podOf({
    ...(restartPolicy !== undefined && { restartPolicy }),
    initContainers: inits.map(({ name }) => ({ name })),
    containers: mains.map(({ name }) => ({ name })),
  })
  return phaseOf(pod, inits, mains)
}

test('phaseOf: derives the phase from the container states', () => {
  assert.equal(phase('Always', [WAITING]), 'Pending')
  assert.equal(phase('Always', [RUNNING, WAITING]), 'Pending')
  assert.equal(phase('Always', [RUNNING, ended(1)]), 'Running')
  assert.equal(phase('Always', [ended(0)]), 'Running')
  assert.equal(phase('OnFailure', [ended(0), ended(1)]), 'Running')
  assert.equal(phase('OnFailure', [ended(0), ended(0)]), 'Succeeded')
  assert.equal(phase('Never', [ended(0), ended(0)]), 'Succeeded')
  assert.equal(phase('Never', [ended(0), ended(1)]), 'Failed')
  assert.equal(phase('Never', [ended(1), RUNNING]), 'Running')
})

test('phaseOf: stays Pending until init containers complete', () => {
  assert.equal(phase('Always', [WAITING], [RUNNING]), 'Pending')
  assert.equal(phase('Always', [WAITING], [ended(1)]), 'Pending')
  assert.equal(phase('Never', [WAITING], [ended(1)]), 'Failed')
  assert.equal(phase('Never', [RUNNING], [ended(0)]), 'Running')
})

test('phaseOf: counts a container that waits for a restart as started', () => {
  const pod = podOf({ containers: [{ name: 'main' }] })
  assert.equal(phaseOf(pod, [], [statusOf('main', WAITING, { lastState: ended(1) })]), 'Running')
})
