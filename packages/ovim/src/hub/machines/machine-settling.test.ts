import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../kinds/operation.js'
import type { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import type { VmStatus } from '../../wire/status-report.js'
import { machineStatus } from '../zones/machine-status.js'
import { settledStatus } from './machine-settling.js'

const NOW = new Date('2026-01-01T00:01:00Z')
const ENDED = '2026-01-01T00:00:10.000Z'

const restarting = {
  metadata: { namespace: 'org-acme', name: 'web' },
  spec: { powerState: 'Running' },
  status: { phase: 'running', operation: { name: 'op-1', sequence: 1, type: 'VMRestart', phase: 'Leased' } },
} as unknown as VirtualMachineRequest

const restarted = {
  metadata: { namespace: 'org-acme', name: 'op-1' },
  spec: { type: 'VMRestart' },
  status: { phase: 'Completed', reportedAt: ENDED },
} as unknown as Operation

function phaseWithReportOf(time: string): string | undefined {
  const vm = { name: 'web', namespace: 'vdc-acme-dev', status: 'running' } as VmStatus
  const reported = { ...restarting, status: machineStatus(restarting, vm, time) } as VirtualMachineRequest
  return settledStatus(reported, restarted, NOW).phase
}

test('settledStatus: keeps the phase of a report that is newer than the operation', () => {
  assert.equal(phaseWithReportOf(ENDED), 'running')
  assert.equal(phaseWithReportOf('2026-01-01T00:00:11Z'), 'running')
})

test('settledStatus: replaces the phase of a report that is older than the operation', () => {
  assert.equal(phaseWithReportOf('2026-01-01T00:00:09Z'), 'provisioning')
  assert.equal(settledStatus(restarting, restarted, NOW).phase, 'provisioning')
})

test('settledStatus: forgets the time of the report', () => {
  const reported = { ...restarting, status: { ...restarting.status, reportedAt: ENDED } } as VirtualMachineRequest
  assert.equal(settledStatus(reported, restarted, NOW).reportedAt, undefined)
})
