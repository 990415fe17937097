import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClaim, ClusterProperty } from '@orrery/api'
import fc from 'fast-check'
import { claimsOf } from './claims.js'

const metadata = { uid: 'u', resourceVersion: '1', creationTimestamp: '' }
const claim = (name: string, value = 'v', labels?: Record<string, string>): ClusterClaim & ClusterProperty => ({
  apiVersion: 'v1',
  kind: 'ClusterClaim',
  metadata: { ...metadata, name, ...(labels && { labels }) },
  spec: { value },
})
const rules = { maxCustomClaims: 2, reservedClaimSuffixes: ['.reserved'] }

test('claimsOf: reports all reserved claims first, then custom ones up to the limit, each sorted by name', () => {
  const names = ['b', 'c', 'a', 'x.reserved', 'product.open-cluster-management.io', 'id.k8s.io']
  const { claims, custom } = claimsOf(
    names.map((name) => claim(name)),
    [],
    rules,
  )
  const expected = ['id.k8s.io', 'product.open-cluster-management.io', 'x.reserved', 'a', 'b']
  assert.deepEqual(
    claims.map(({ name }) => name),
    expected,
  )
  assert.equal(custom, 3)
})

test('claimsOf: prefers properties to claims, and leaves out private and invalid ones', () => {
  const claims = [
    claim('a', 'claim'),
    claim('b', ''),
    claim('c', 'x'.repeat(1_025)),
    claim('d', 'v', { 'open-cluster-management.io/spoke-only': 'false' }),
  ]
  assert.deepEqual(claimsOf(claims, [claim('a', 'property')], rules), {
    claims: [{ name: 'a', value: 'property' }],
    custom: 1,
  })
})

test('claimsOf: does not depend on the order of the claims', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-c]{1,3}(\.reserved)?$/), { maxLength: 8 })
  fc.assert(
    fc.property(names, (found) => {
      const forwards = claimsOf(
        found.map((name) => claim(name)),
        [],
        rules,
      )
      assert.deepEqual(
        claimsOf(
          found.toReversed().map((name) => claim(name)),
          [],
          rules,
        ),
        forwards,
      )
    }),
  )
})
