import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { VM_STATUSES } from '../../wire/status-report.js'
import { POWER_STATES } from '../../wire/vm-payloads.js'
import { nextTask, phaseAfter } from './next-task.js'

const SPEC = 'hash'

function machine(
  powerState: string,
  phase: string,
  more: { spec?: object; status?: object } = {},
): VirtualMachineRequest {
  return {
    spec: { template: 't', powerState, ...more.spec },
    status: { created: true, appliedSpec: SPEC, phase, ...more.status },
  } as unknown as VirtualMachineRequest
}

test('nextTask: by requested power state and phase', () => {
  const table = {
    Running: { paused: 'VMUnpause', stopped: 'VMStart' },
    Paused: { running: 'VMPause', stopped: 'VMStart' },
    Stopped: { running: 'VMStop', paused: 'VMStop', provisioning: 'VMStop', error: 'VMStop', unknown: 'VMStop' },
  } as Record<string, Record<string, string>>
  for (const powerState of POWER_STATES) {
    for (const phase of VM_STATUSES) {
      assert.equal(nextTask(machine(powerState, phase), SPEC), table[powerState]?.[phase], `${powerState} and ${phase}`)
    }
  }
})

test('nextTask: creates first, then updates, then restarts', () => {
  assert.equal(nextTask(machine('Running', 'pending', { status: { created: false } }), SPEC), 'VMCreate')
  assert.equal(nextTask(machine('Stopped', 'running'), 'other'), 'VMUpdate')
  const restart = { spec: { restartedAt: '2030-01-01T00:00:00Z' } }
  assert.equal(nextTask(machine('Running', 'running', restart), SPEC), 'VMRestart')
  assert.equal(nextTask(machine('Running', 'stopped', restart), SPEC), 'VMStart')
  assert.equal(nextTask(machine('Running', 'stopping', restart), SPEC), undefined)
  const observed = { ...restart, status: { observedRestart: '2030-01-01T00:00:00Z' } }
  assert.equal(nextTask(machine('Running', 'running', observed), SPEC), undefined)
})

test('nextTask: does not repeat a stop that has completed while the machine has an error', () => {
  const stopped = { status: { operation: { type: 'VMStop', phase: 'Completed' } } }
  assert.equal(nextTask(machine('Stopped', 'error', stopped), SPEC), undefined)
})

test('nextTask: reaches the requested state from every state if operations do what they say', () => {
  const reached = { provisioning: 'running', stopping: 'stopped' } as Record<string, string>
  for (const powerState of POWER_STATES) {
    for (const start of ['running', 'paused', 'stopped']) {
      let phase = start
      for (let step = 0; step < 4; step++) {
        const task = nextTask(machine(powerState, phase), SPEC)
        if (task === undefined) break
        const after = phaseAfter(task, powerState) ?? phase
        phase = reached[after] ?? after
      }
      assert.equal(phase, powerState.toLowerCase())
    }
  }
})
