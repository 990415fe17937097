import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bundleId } from './ids.js'

test('bundleId: is the ID that the Go client computes', () => {
  assert.equal(bundleId('mw', 'cluster1', 'nginx'), '9de9935e-bd80-5818-83b9-a73b51af5527')
})
