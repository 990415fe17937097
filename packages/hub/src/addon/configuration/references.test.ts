import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '@orrery/api'
import { type DesiredConfig, overridden } from './desired-configs.js'
import { desiredOn, mergedReferences } from './references.js'

const config = (resource: string, name: string, specHash = ''): DesiredConfig => ({
  group: 'g',
  resource,
  desiredConfig: { name, specHash },
})
const named = (configs: Iterable<readonly DesiredConfig[]>) =>
  [...configs].flat().map(({ resource, desiredConfig: { name, specHash } }) => `${resource}/${name}@${specHash}`)

test('overridden: replaces all configurations of a type, and keeps the other types', () => {
  const base = overridden(new Map(), [config('a', 'one', '1'), config('a', 'two', '2'), config('b', 'one', '3')])
  assert.deepEqual(named(base.values()), ['a/one@1', 'a/two@2', 'b/one@3'])
  const result = overridden(base, [config('a', 'x', '4'), config('a', 'y', '5'), config('a', 'x', '6')])
  assert.deepEqual(named(result.values()), ['a/x@4', 'a/y@5', 'b/one@3'])
  assert.deepEqual(named(base.values()), ['a/one@1', 'a/two@2', 'b/one@3'])
})

test('desiredOn: configurations of the add-on take precedence, with the hash that its status has', () => {
  const inherited = overridden(new Map(), [config('a', 'default', '1'), config('b', 'default', '2')])
  const own = { group: 'g', resource: 'a', name: 'own' }
  const addOn = (references: readonly DesiredConfig[]) =>
    ({
      metadata: {},
      spec: { configs: [own] },
      status: { configReferences: references },
    }) as unknown as ManagedClusterAddOn
  assert.deepEqual(named(desiredOn(addOn([]), inherited).values()), ['a/own@', 'b/default@2'])
  assert.deepEqual(named(desiredOn(addOn([config('a', 'own', '7')]), inherited).values()), ['a/own@7', 'b/default@2'])
  const without = { metadata: {}, spec: {} } as unknown as ManagedClusterAddOn
  assert.equal(desiredOn(without, inherited), inherited)
})

test('mergedReferences: keeps the state of configurations that stay, drops others, and sorts by type', () => {
  const applied = { name: 'kept', specHash: '1' }
  const known = [
    { ...config('b', 'dropped', '1') },
    { ...config('b', 'kept', '1'), lastObservedGeneration: 4, lastAppliedConfig: applied },
    { ...config('c', 'dropped', '1') },
  ]
  const wanted = overridden(new Map(), [config('b', 'new', '9'), config('b', 'kept', '2'), config('a', 'first', '3')])
  assert.deepEqual(mergedReferences(known, wanted), [
    config('a', 'first', '3'),
    { ...config('b', 'kept', '2'), lastObservedGeneration: 4, lastAppliedConfig: applied },
    config('b', 'new', '9'),
  ])
  assert.deepEqual(mergedReferences(known, new Map()), [])
})

test('desiredOn, mergedReferences: read each of many references a few times', () => {
  let reads = 0
  const configReferences = Array.from({ length: 300 }, (_, index) => ({
    ...{ group: 'g', resource: 'a' },
    desiredConfig: {
      specHash: String(index),
      get name() {
        reads++
        return `c${index}`
      },
    },
  }))
  const configs = configReferences.map(({ group, resource, desiredConfig: { name } }) => ({ group, resource, name }))
  const addon = { spec: { configs }, status: { configReferences } } as unknown as ManagedClusterAddOn
  const merged = mergedReferences(configReferences, desiredOn(addon, new Map()))
  assert.equal(merged[299]?.desiredConfig?.specHash, '299')
  assert.ok(reads <= 10 * 300, `${reads} reads`)
})
