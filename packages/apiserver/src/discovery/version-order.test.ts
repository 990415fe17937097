import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareVersions } from './version-order.js'

test('compareVersions: sorts stable before beta before alpha, newer before older, and other names last', () => {
  const shuffled = [
    'foo10',
    'v1alpha1',
    'v11beta2',
    'v2',
    'v10',
    'v1',
    'v3beta1',
    'foo1',
    'v12alpha1',
    'v11alpha2',
    'v0',
  ]
  assert.deepEqual(shuffled.sort(compareVersions), [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
    'v0',
  ])
})

test('compareVersions: is a total order', () => {
  const version = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc
      .tuple(fc.nat(20), fc.constantFrom('', 'alpha', 'beta'), fc.nat(3))
      .map(([a, stage, b]) => `v${a}${stage}${stage && b}`),
  )
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      assert.equal(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a)), 0)
      assert.equal(compareVersions(a, b) === 0, a === b)
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) assert.ok(compareVersions(a, c) <= 0)
    }),
  )
})
