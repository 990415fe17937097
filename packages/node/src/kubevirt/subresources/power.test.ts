import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { VirtualMachine, VirtualMachineStatus } from '../kinds/virtual-machine.js'
import { instanceOf, refusalOf, vmOf } from '../testing.fixture.js'
import { type PowerChange, restartChange, startChange, stopChange } from './power.js'

type Instance = VirtualMachineInstance | undefined
type Change = (vm: VirtualMachine, instance: Instance) => PowerChange

interface Case {
  readonly call: string
  readonly change: Change
  readonly strategy: string
  readonly status?: VirtualMachineStatus
  readonly instance?: VirtualMachineInstance
  /** The patch, or the code and text of the refusal. */
  readonly expected: object | readonly [number, string]
}

const start: Change = (vm, instance) => startChange(vm, instance, false)
const startPaused: Change = (vm, instance) => startChange(vm, instance, true)
const stop: Change = (vm, instance) => stopChange(vm, instance, undefined)
const stopIn =
  (seconds: number): Change =>
  (vm, instance) =>
    stopChange(vm, instance, seconds)
const restart: Change = (vm, instance) => restartChange(vm, instance, undefined)
const restartIn =
  (seconds: number): Change =>
  (vm, instance) =>
    restartChange(vm, instance, seconds)

const START = { action: 'Start' }
const PAUSED = { action: 'Start', data: { paused: 'true' } }
const STOP = { action: 'Stop', uid: 'vmi-uid' }
const requests = (...stateChangeRequests: object[]) => ({ status: { stateChangeRequests } })
const spec = (runStrategy: string) => ({ spec: { runStrategy } })
const running = instanceOf('Running', {}, {}, { terminationGracePeriodSeconds: 30 })
const conflict = (why: string) =>
  [409, `Operation cannot be fulfilled on virtualmachine.kubevirt.io "vm": ${why}`] as const
const pending = { stateChangeRequests: [START] }
const underway = [500, 'Internal error occurred: unable to complete request: stop/start already underway'] as const
const recovery = { conditions: [{ type: 'ManualRecoveryRequired', status: 'True' as const }] }

const CASES: readonly Case[] = [
  { call: 'start', change: start, strategy: 'Halted', expected: spec('Always') },
  { call: 'start paused', change: startPaused, strategy: 'Halted', expected: requests(PAUSED) },
  { call: 'start', change: start, strategy: 'Manual', expected: requests(START) },
  { call: 'start paused', change: startPaused, strategy: 'Manual', expected: requests(PAUSED) },
  { call: 'start', change: start, strategy: 'Manual', instance: instanceOf('Failed'), expected: requests(STOP, START) },
  { call: 'start', change: start, strategy: 'RerunOnFailure', expected: requests(START) },
  {
    call: 'start',
    change: start,
    strategy: 'RerunOnFailure',
    instance: instanceOf('Succeeded'),
    expected: requests(STOP, START),
  },
  {
    call: 'start',
    change: start,
    strategy: 'RerunOnFailure',
    instance: instanceOf('Failed'),
    expected: conflict('RerunOnFailure does not support starting VM from failed state'),
  },
  {
    call: 'start',
    change: start,
    strategy: 'Always',
    expected: conflict('Always does not support manual start requests'),
  },
  { call: 'start', change: start, strategy: 'Once', expected: conflict('Once does not support manual start requests') },
  ...['Pending', 'Scheduling', 'Scheduled', 'Running'].map((phase) => ({
    call: `start in phase ${phase}`,
    change: start,
    strategy: 'Manual',
    instance: instanceOf(phase),
    expected: conflict('VM is already running'),
  })),
  { call: 'start', change: start, strategy: 'Manual', instance: instanceOf('Unknown'), expected: requests(START) },
  { call: 'start', change: start, strategy: 'Manual', instance: instanceOf(''), expected: requests(START) },
  {
    call: 'start',
    change: start,
    strategy: 'Halted',
    status: recovery,
    expected: conflict('VM recovery required: a volume migration failed, reassign its volumes by hand'),
  },
  { call: 'start', change: start, strategy: 'Manual', status: pending, expected: underway },
  {
    call: 'start after failures',
    change: start,
    strategy: 'Manual',
    status: { startFailure: { consecutiveFailCount: 3 } },
    expected: { status: { stateChangeRequests: [START], startFailure: null } },
  },

  { call: 'stop', change: stop, strategy: 'Always', instance: running, expected: spec('Halted') },
  { call: 'stop without instance', change: stop, strategy: 'Always', expected: spec('Halted') },
  { call: 'stop', change: stop, strategy: 'Once', instance: running, expected: spec('Halted') },
  { call: 'stop', change: stop, strategy: 'Manual', instance: running, expected: requests(STOP) },
  { call: 'stop', change: stop, strategy: 'RerunOnFailure', instance: running, expected: requests(STOP) },
  { call: 'stop', change: stop, strategy: 'Manual', expected: conflict('VM is not running') },
  {
    call: 'stop',
    change: stop,
    strategy: 'RerunOnFailure',
    instance: instanceOf('Succeeded'),
    expected: conflict('VM is not running'),
  },
  { call: 'stop', change: stop, strategy: 'Halted', expected: conflict('VM is not running') },
  {
    call: 'stop',
    change: stop,
    strategy: 'Halted',
    instance: running,
    expected: conflict('Halted only supports manual stop requests with a shorter graceperiod'),
  },
  {
    call: 'stop in 30 s',
    change: stopIn(30),
    strategy: 'Halted',
    instance: running,
    expected: conflict('Halted only supports manual stop requests with a shorter graceperiod'),
  },
  { call: 'stop in 5 s', change: stopIn(5), strategy: 'Halted', instance: running, expected: requests(STOP) },
  {
    call: 'stop replaces pending requests',
    change: stop,
    strategy: 'Manual',
    status: pending,
    instance: running,
    expected: requests(STOP),
  },

  { call: 'restart', change: restart, strategy: 'Always', instance: running, expected: requests(STOP, START) },
  { call: 'restart', change: restart, strategy: 'Manual', instance: running, expected: requests(STOP, START) },
  { call: 'restart', change: restart, strategy: 'RerunOnFailure', instance: running, expected: requests(STOP, START) },
  {
    call: 'forced restart',
    change: restartIn(0),
    strategy: 'Always',
    instance: running,
    expected: requests(STOP, START),
  },
  {
    call: 'restart in 5 s',
    change: restartIn(5),
    strategy: 'Always',
    instance: running,
    expected: [400, 'For force restart, only gracePeriod=0 is supported for now'],
  },
  {
    call: 'restart',
    change: restart,
    strategy: 'Halted',
    instance: running,
    expected: conflict('RunStategy Halted does not support manual restart requests'),
  },
  {
    call: 'restart',
    change: restart,
    strategy: 'Once',
    instance: running,
    expected: conflict('RunStategy Once does not support manual restart requests'),
  },
  { call: 'restart', change: restart, strategy: 'Always', expected: conflict('VM is not running: Halted') },
  { call: 'restart', change: restart, strategy: 'Always', status: pending, instance: running, expected: underway },
]

for (const { call, change, strategy, status, instance, expected } of CASES) {
  const state = `${instance?.status?.phase ?? 'no instance'}${status === undefined ? '' : `, ${Object.keys(status)}`}`
  test(`power: ${call} with ${strategy}, ${state}`, () => {
    const vm = vmOf(strategy, status)
    if (!Array.isArray(expected)) {
      assert.deepEqual(change(vm, instance).patch, expected)
      return
    }
    const refusal = refusalOf(() => change(vm, instance))
    assert.deepEqual([refusal.code, refusal.message], expected)
  })
}

test('power: changes spec.running if the VirtualMachine has that', () => {
  const { template } = vmOf('Always').spec
  const vm = { ...vmOf('Always'), spec: { running: false, template } }
  assert.deepEqual(startChange(vm, undefined, false).patch, { spec: { running: true } })
})
