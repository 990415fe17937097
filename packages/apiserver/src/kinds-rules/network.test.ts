import assert from 'node:assert/strict'
import test from 'node:test'
import type { FieldError } from '@orrery/kinds/values'
import { contains, isIpv6, legacyCidr, legacyIp, parseCidr, parseIp } from './network.js'

function problemsOf(check: typeof legacyIp, value: string): string[] {
  const errors: FieldError[] = []
  check(value, 'x', errors)
  return errors.map(({ body }) => body.slice(body.lastIndexOf('": ') + 3))
}

test('parseIp: returns the bytes of an address', () => {
  assert.deepEqual(parseIp('10.0.0.1'), [10, 0, 0, 1])
  assert.deepEqual(parseIp('010.0.0.1'), [10, 0, 0, 1])
  assert.equal(parseIp('fe80::1')?.[0], 0xfe)
  assert.equal(parseIp('::1.2.3.4')?.at(-1), 4)
  assert.equal(parseIp('1:2:3:4:5:6:7:8')?.length, 16)
  for (const text of ['', '10.0.0', '10.0.0.256', 'x', 'fe80::1%eth0']) assert.equal(parseIp(text), undefined, text)
})

test('contains: matches only addresses of the network', () => {
  const network = parseCidr('10.1.0.0/16')
  assert.ok(network)
  assert.equal(contains(network, [10, 1, 255, 3]), true)
  assert.equal(contains(network, [10, 2, 0, 0]), false)
  const odd = parseCidr('10.128.0.0/9')
  assert.equal(odd && contains(odd, [10, 200, 0, 0]), true)
  assert.equal(odd && contains(odd, [10, 100, 0, 0]), false)
  for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/x', '::/129', '1.2.3.4/8/9']) {
    assert.equal(parseCidr(text), undefined, text)
  }
})

test('ip: requires the canonical form of new addresses', () => {
  assert.deepEqual(problemsOf(legacyIp, '10.0.0.1'), [])
  assert.deepEqual(problemsOf(legacyIp, '010.0.0.1'), ['must not have leading 0s'])
  assert.deepEqual(problemsOf(legacyIp, '::ffff:1.2.3.4'), ['must not be an IPv4-mapped IPv6 address'])
  assert.deepEqual(problemsOf(legacyCidr, '10.0.0.1/8'), ['must not have bits set beyond the prefix length'])
  assert.deepEqual(problemsOf(legacyCidr, '10.0.0.0/08'), ['must not have leading 0s in IP or prefix length'])
  assert.equal(isIpv6('2001:db8::1'), true)
  assert.equal(isIpv6('10.0.0.1'), false)
})
