import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstanceCondition } from '../kinds/instance.js'
import { dataVolumeOf, instanceOf, vmOf } from '../testing.fixture.js'
import { PRINTABLE_STATUSES, type PrintableFacts, printableStatusOf } from './printable-status.js'

const deletionTimestamp = '2030-01-01T00:00:00Z'
const unsynchronized = (reason: string): InstanceCondition => ({ type: 'Synchronized', status: 'False', reason })
const unschedulable: InstanceCondition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }
const paused: InstanceCondition = { type: 'Paused', status: 'True' }
const migrationState = { startTimestamp: '2030-01-01T00:00:00Z' }
const startFailure = { consecutiveFailCount: 2 }
const facts = (more: Partial<PrintableFacts>): PrintableFacts => ({
  vm: vmOf('Always', { startFailure }),
  instance: undefined,
  dataVolumes: [],
  hasUnboundClaim: false,
  ...more,
})

/** Each status with as many of those after it as can hold at the same time. */
const CASES: readonly (readonly [string, PrintableFacts])[] = [
  [
    'Terminating',
    facts({
      vm: vmOf('Always', {}, { deletionTimestamp }),
      instance: instanceOf('Running', { conditions: [paused], migrationState }, { deletionTimestamp }),
    }),
  ],
  [
    'Stopping',
    facts({ instance: instanceOf('Running', { conditions: [paused], migrationState }, { deletionTimestamp }) }),
  ],
  ['Migrating', facts({ instance: instanceOf('Running', { conditions: [paused], migrationState }) })],
  ['Paused', facts({ instance: instanceOf('Running', { conditions: [paused] }), hasUnboundClaim: true })],
  ['Running', facts({ instance: instanceOf('Running'), dataVolumes: [dataVolumeOf('Failed')], hasUnboundClaim: true })],
  [
    'ErrorPvcNotFound',
    facts({
      instance: instanceOf('Pending', { conditions: [unsynchronized('FailedPvcNotFound'), unschedulable] }),
      dataVolumes: [dataVolumeOf('Failed')],
    }),
  ],
  [
    'DataVolumeError',
    facts({
      instance: instanceOf('Pending', { conditions: [unschedulable] }),
      dataVolumes: [dataVolumeOf('Failed'), dataVolumeOf('ImportInProgress')],
    }),
  ],
  [
    'ErrorUnschedulable',
    facts({
      instance: instanceOf('Scheduling', { conditions: [unschedulable] }),
      dataVolumes: [dataVolumeOf('ImportInProgress')],
    }),
  ],
  ['Provisioning', facts({ dataVolumes: [dataVolumeOf('ImportInProgress')], hasUnboundClaim: true })],
  [
    'WaitingForVolumeBinding',
    facts({
      instance: instanceOf('Scheduling', { conditions: [unsynchronized('ErrImagePull')] }),
      dataVolumes: [dataVolumeOf('WaitForFirstConsumer')],
      hasUnboundClaim: true,
    }),
  ],
  ['ErrImagePull', facts({ instance: instanceOf('Scheduling', { conditions: [unsynchronized('ErrImagePull')] }) })],
  [
    'ImagePullBackOff',
    facts({ instance: instanceOf('Scheduling', { conditions: [unsynchronized('ImagePullBackOff')] }) }),
  ],
  ['Starting', facts({ instance: instanceOf('Scheduled') })],
  ['CrashLoopBackOff', facts({ instance: instanceOf('Failed') })],
  ['Stopped', facts({ vm: vmOf('Halted', { startFailure }) })],
  ['Unknown', facts({ instance: instanceOf('Unknown') })],
]

test('printableStatusOf: shows the status with the highest precedence', () => {
  for (const [expected, given] of CASES) assert.equal(printableStatusOf(given), expected)
})

test('printableStatusOf: the cases have every status, by precedence', () => {
  const reached = PRINTABLE_STATUSES.filter((status) => status !== 'WaitingForReceiver')
  assert.deepEqual(
    CASES.map(([status]) => status),
    reached,
  )
})

test('printableStatusOf: shows each phase before Running as Starting', () => {
  for (const phase of ['', 'Pending', 'Scheduling', 'Scheduled']) {
    assert.equal(printableStatusOf(facts({ instance: instanceOf(phase) })), 'Starting')
  }
})

test('printableStatusOf: a stopped machine does not wait for its volumes', () => {
  const given = facts({
    vm: vmOf('Halted'),
    hasUnboundClaim: true,
    dataVolumes: [dataVolumeOf('WaitForFirstConsumer')],
  })
  assert.equal(printableStatusOf(given), 'Stopped')
})
