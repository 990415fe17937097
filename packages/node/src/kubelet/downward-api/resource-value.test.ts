import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceFieldValue } from './resource-value.js'

const container = { name: 'main', resources: { requests: { cpu: '250m' }, limits: { memory: '128Mi' } } }
const allocatable = { cpu: '8', memory: '16Gi' }
const value = (resource: string, divisor?: string) =>
  resourceFieldValue({ resource, ...(divisor !== undefined && { divisor }) }, container, allocatable)

test('resourceFieldValue: divides by the divisor and rounds up', () => {
  assert.equal(value('requests.cpu'), '1')
  assert.equal(value('requests.cpu', '1m'), '250')
  assert.equal(value('limits.memory'), String(128 * 1024 * 1024))
  assert.equal(value('limits.memory', '1Mi'), '128')
})

test('resourceFieldValue: uses the allocatable amount for an unset limit', () => {
  assert.equal(value('limits.cpu'), '8')
  assert.equal(value('requests.ephemeral-storage'), '0')
})
