import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestConfig } from '@orrery/api'
import { checkPatterns } from './manifests.js'

test('checkPatterns: denies more than 1,000 patterns, and any number of names', () => {
  const configs = (count: number, name: string) =>
    Array.from({ length: count }, () => ({ resourceIdentifier: { resource: 'configmaps', name } }) as ManifestConfig)
  checkPatterns(configs(1_000, 'a*'))
  checkPatterns(configs(20_000, 'a'))
  assert.throws(() => checkPatterns(configs(1_001, 'a*')), /1001 resource identifiers with "\*", more than 1000/)
})
