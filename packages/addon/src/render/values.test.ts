import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import fc from 'fast-check'
import type { AddonContext } from '../agent-addon.js'
import { annotationValues, collectValues, mergeValues } from './values.js'

const values = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__'),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown[]>('x', 'y', 1, true, null),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
    ),
  })).value,
  { noNullPrototype: true },
) as fc.Arbitrary<JsonObject>

suite('mergeValues', () => {
  test('merges objects, replaces everything else', () => {
    assert.deepEqual(
      mergeValues({ a: { x: 1, y: [1, 2] }, b: 1 }, undefined, { a: { y: [3] }, b: { z: 1 } }, { c: null }),
      { a: { x: 1, y: [3] }, b: { z: 1 }, c: null },
    )
  })

  test('nothing changes by nothing or by the same again', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const merged = mergeValues(a, b)
        assert.deepEqual(mergeValues(a, {}), mergeValues({}, a))
        assert.deepEqual(mergeValues(merged, b), merged)
        assert.deepEqual(mergeValues(merged), merged)
      }),
    )
  })

  test('the last value applies, and no key is lost', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const merged = mergeValues(a, b)
        assert.deepEqual(new Set(Object.keys(merged)), new Set([...Object.keys(a), ...Object.keys(b)]))
        for (const [key, value] of Object.entries(b)) if (!isObject(value)) assert.equal(merged[key], value)
        for (const key of Object.keys(a)) if (!Object.hasOwn(b, key)) assert.deepEqual(merged[key], a[key])
      }),
    )
  })

  test('does not change its arguments or prototypes', () => {
    const first = { a: { x: 1 } }
    mergeValues(first, { a: { x: 2 } }, JSON.parse('{"__proto__":{"polluted":true}}'))
    assert.deepEqual(first, { a: { x: 1 } })
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  })
})

suite('annotationValues', () => {
  const of = (text?: string) =>
    annotationValues(
      {} as ManagedCluster,
      {
        metadata: { annotations: text === undefined ? {} : { 'addon.open-cluster-management.io/values': text } },
      } as ManagedClusterAddOn,
      {} as AddonContext,
    )
  test('reads a JSON object', () => {
    assert.deepEqual(of('{"Image":"i","NodeSelector":{"host":"ssd"}}'), { Image: 'i', NodeSelector: { host: 'ssd' } })
    assert.equal(of(), undefined)
    assert.equal(of(''), undefined)
  })
  test('names the annotation in errors', () => {
    assert.throws(() => of('{'), /annotation addon\.open-cluster-management\.io\/values is not valid/)
    assert.throws(() => of('[]'), /has to be a JSON object/)
  })
})

test('collectValues: later sources override earlier ones', async () => {
  const sources = [{ a: 1, b: { x: 1 } }, () => undefined, async () => ({ b: { y: 2 } }), { a: 3 }]
  assert.deepEqual(await collectValues(sources, {} as ManagedCluster, {} as ManagedClusterAddOn, {} as AddonContext), {
    a: 3,
    b: { x: 1, y: 2 },
  })
})
