import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PodAddresses } from './pod-addresses.js'

test('PodAddresses: gives each pod its own address until none is left', () => {
  const addresses = new PodAddresses('10.1.2.0/29')
  addresses.hold('10.1.2.3')
  const taken = Array.from({ length: 4 }, () => addresses.take())
  assert.deepEqual(taken, ['10.1.2.2', '10.1.2.4', '10.1.2.5', '10.1.2.6'])
  assert.equal(addresses.take(), undefined)
  addresses.release('10.1.2.4')
  addresses.release('192.168.0.1')
  assert.equal(addresses.take(), '10.1.2.4')
})

test('PodAddresses: refuses an invalid network', () => {
  for (const cidr of ['10.0.0.0', '10.0.0.0/30', '300.0.0.0/16', 'fd00::/64']) {
    assert.throws(() => new PodAddresses(cidr), RangeError)
  }
})
