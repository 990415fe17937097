import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceOf, NOW, vmOf } from '../testing.fixture.js'
import { type Decision, decide, isSetToStart, runStrategyOf } from './run-strategy.js'

const START = { stateChangeRequests: [{ action: 'Start' }] }
const STOP = { stateChangeRequests: [{ action: 'Stop', uid: 'vmi-uid' }] }
const OTHER_STOP = { stateChangeRequests: [{ action: 'Stop', uid: 'another' }] }
const later = new Date(NOW.getTime() + 10_000)
const failed = { startFailure: { consecutiveFailCount: 1, retryAfterTimestamp: later.toISOString() } }
const deleted = { deletionTimestamp: NOW.toISOString() }

const NONE: Decision = { action: 'none' }
const CASES: readonly (readonly [string, object, ReturnType<typeof instanceOf> | undefined, Decision])[] = [
  ['Always', {}, undefined, { action: 'start' }],
  ['Always', failed, undefined, { action: 'wait', until: later }],
  ['Always', {}, instanceOf('Running'), NONE],
  ['Always', {}, instanceOf('Succeeded'), { action: 'stop' }],
  ['Always', {}, instanceOf('Failed'), { action: 'stop' }],
  ['Always', STOP, instanceOf('Running'), { action: 'stop' }],
  ['Always', OTHER_STOP, instanceOf('Running'), NONE],
  ['Always', STOP, instanceOf('Running', {}, deleted), NONE],
  ['RerunOnFailure', {}, undefined, { action: 'start' }],
  ['RerunOnFailure', { runStrategy: 'RerunOnFailure' }, undefined, NONE],
  ['RerunOnFailure', { runStrategy: 'RerunOnFailure', ...START }, undefined, { action: 'start' }],
  [
    'RerunOnFailure',
    { runStrategy: 'RerunOnFailure', ...START, ...failed },
    undefined,
    { action: 'wait', until: later },
  ],
  ['RerunOnFailure', {}, instanceOf('Failed'), { action: 'stop', again: true }],
  ['RerunOnFailure', {}, instanceOf('Succeeded'), { action: 'stop' }],
  ['RerunOnFailure', STOP, instanceOf('Running'), { action: 'stop' }],
  ['RerunOnFailure', {}, instanceOf('Running'), NONE],
  ['Manual', {}, undefined, NONE],
  ['Manual', START, undefined, { action: 'start' }],
  ['Manual', STOP, instanceOf('Running'), { action: 'stop' }],
  ['Manual', {}, instanceOf('Failed'), NONE],
  ['Halted', {}, undefined, NONE],
  ['Halted', START, undefined, { action: 'run' }],
  ['Halted', {}, instanceOf('Running'), { action: 'stop' }],
  ['Once', {}, undefined, { action: 'start' }],
  ['Once', {}, instanceOf('Succeeded'), NONE],
  ['Once', {}, instanceOf('Failed'), NONE],
]

test('decide: follows the run strategy', () => {
  for (const [strategy, status, instance, expected] of CASES) {
    const what = `${strategy}, ${JSON.stringify(status)}, ${instance?.status?.phase ?? 'no instance'}`
    assert.deepEqual(decide(vmOf(strategy, status), instance, NOW), expected, what)
  }
})

test('runStrategyOf: takes spec.running for Always or Halted', () => {
  const { template } = vmOf('Always').spec
  assert.equal(runStrategyOf({ spec: { running: true, template } }), 'Always')
  assert.equal(runStrategyOf({ spec: { running: false, template } }), 'Halted')
})

test('isSetToStart: holds while the run strategy wants an instance', () => {
  const cases: [string, object, ReturnType<typeof instanceOf> | undefined, boolean][] = [
    ['Always', {}, undefined, true],
    ['Halted', {}, instanceOf('Running'), false],
    ['Manual', {}, undefined, false],
    ['Manual', START, undefined, true],
    ['Manual', STOP, instanceOf('Running'), false],
    ['RerunOnFailure', {}, instanceOf('Succeeded'), false],
    ['RerunOnFailure', {}, instanceOf('Failed'), true],
    ['Once', {}, undefined, true],
    ['Once', {}, instanceOf('Running'), false],
  ]
  for (const [strategy, status, instance, expected] of cases) {
    assert.equal(isSetToStart(vmOf(strategy, status), instance), expected, strategy)
  }
})
