import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScopeSelectorOperator } from '@orrery/kinds/core'
import { isInScope } from './scopes.js'

const claim = (spec: object, status: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c' },
  spec,
  status,
})

function counts(object: ReturnType<typeof claim>, operator: ScopeSelectorOperator, ...values: string[]): boolean {
  const requirement = { scopeName: 'VolumeAttributesClass' as const, operator, values }
  return isInScope([requirement], 'persistentvolumeclaims', object)
}

test('isInScope: counts a claim for the current, the target and the requested class of its volume', () => {
  const modified = claim(
    { volumeAttributesClassName: 'gold' },
    {
      currentVolumeAttributesClassName: 'silver',
      modifyVolumeStatus: { targetVolumeAttributesClassName: 'bronze', status: 'InProgress' },
    },
  )
  for (const name of ['gold', 'silver', 'bronze']) assert.equal(counts(modified, 'In', name), true, name)
  assert.equal(counts(modified, 'In', 'tin'), false)
  assert.equal(counts(modified, 'Exists'), true)
  assert.equal(counts(modified, 'DoesNotExist'), false)
})

test('isInScope: matches no class for a claim without one', () => {
  const plain = claim({}, {})
  assert.equal(counts(plain, 'In', 'gold'), false)
  assert.equal(counts(plain, 'NotIn', 'gold'), true)
  assert.equal(counts(plain, 'Exists'), false)
  assert.equal(counts(plain, 'DoesNotExist'), true)
})
