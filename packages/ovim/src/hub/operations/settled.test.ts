import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEQUENCE_LABEL } from '../../kinds/names.js'
import type { Operation } from '../../kinds/operation.js'
import type { OperationSummary } from '../../kinds/operation-summary.js'
import type { OperationOwner } from './object-operations.js'
import { isSettled } from './settled.js'

const operation = {
  metadata: { name: 'op', labels: { [SEQUENCE_LABEL]: '2' } },
  spec: { target: { kind: 'VirtualMachineRequest', namespace: 'org-acme', name: 'web', uid: 'u1' } },
  status: { phase: 'Completed' },
} as unknown as Operation

function owner(recorded: Partial<OperationSummary> | undefined, uid = 'u1'): OperationOwner {
  return { metadata: { uid }, status: recorded && { operation: recorded } } as unknown as OperationOwner
}

test('isSettled: an operation counts when its object shows its final phase or a later operation', () => {
  assert.equal(isSettled(owner({ sequence: 2, phase: 'Completed' }), operation), true)
  assert.equal(isSettled(owner({ sequence: 3, phase: 'Pending' }), operation), true)
  assert.equal(isSettled(owner({ sequence: 2, phase: 'Leased' }), operation), false)
  assert.equal(isSettled(owner({ sequence: 1, phase: 'Completed' }), operation), false)
  assert.equal(isSettled(owner(undefined), operation), false)
})

test('isSettled: operations of an earlier object with the same name are settled', () => {
  assert.equal(isSettled(owner(undefined, 'u2'), operation), true)
})
