import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { isConflict } from '@orrery/kinds/values'
import fc from 'fast-check'
import { difference, intersection } from './algebra.js'
import { EMPTY, type FieldSet, isEmpty } from './field-set.js'
import { fieldSetOf } from './owned.js'
import { applied, content, ownership, THEN, tracked, WIDGET, widget } from './widget.fixture.js'

const text = fc.constantFrom('1', '2', '3')
// An empty list of items has no owner, so whether it exists depends on its earlier content.
const names = (values: string[]) => fc.shuffledSubarray(values, { minLength: 1 })
const record = <T>(model: Record<string, fc.Arbitrary<T>>) => fc.record(model, { requiredKeys: [] })

/** Configurations of a widget, with different content in different order. */
const configuration = record<unknown>({
  note: text,
  replicas: fc.constantFrom(1, 2),
  tags: names(['a', 'b', 'c']),
  order: names(['a', 'b']),
  nested: record<unknown>({ a: text, deeper: record<unknown>({ c: text }) }),
  values: fc.dictionary(fc.constantFrom('k', 'l', '__proto__'), record<unknown>({ x: fc.constantFrom(1, 2), y: text })),
  parts: names(['p', 'q', 'r']).chain((chosen) =>
    fc.tuple(...chosen.map((name) => record<unknown>({ image: text }).map((part) => ({ name, ...part })))),
  ),
  raw: record<unknown>({ m: text, n: fc.constantFrom({ o: 1 }, [1], 'x') }),
}).map((spec) => widget({ spec: spec as JsonObject }))

function property<T extends [unknown, ...unknown[]]>(...args: Parameters<typeof fc.property<T>>): void {
  fc.assert(fc.property<T>(...args), { numRuns: 150 })
}

const claimed = (config: KubeObject): FieldSet =>
  difference(fieldSetOf(config as JsonObject, WIDGET), {
    'f:apiVersion': {},
    'f:kind': {},
    'f:metadata': { 'f:name': {} },
  })

const owned = (object: KubeObject, manager: string) => (ownership(object)[manager] ?? EMPTY) as FieldSet
const forced = (live: KubeObject | undefined, config: KubeObject, manager: string) =>
  applied(live, config, manager, { force: true, time: THEN })

describe('applyPatch', () => {
  test('is idempotent', () => {
    property(configuration, configuration, configuration, (a, b, c) => {
      const once = forced(forced(forced(undefined, a, 'one'), b, 'two'), c, 'one')
      assert.equal(applied(once, structuredClone(c), 'one'), once)
    })
  })

  test('with force gives the applier ownership of everything it applied, with its values', () => {
    property(configuration, configuration, (a, b) => {
      const after = forced(forced(undefined, a, 'one'), b, 'two')
      assert.deepEqual(owned(after, 'two'), claimed(b))
      const again = forced(after, b, 'two')
      assert.deepEqual(content(again), content(after))
    })
  })

  test('removes everything of an applier that applies nothing more', () => {
    property(configuration, configuration, (a, b) => {
      const both = forced(forced(undefined, a, 'one'), b, 'two')
      const alone = forced(both, widget(), 'one')
      const left = fieldSetOf(content(alone) as JsonObject, WIDGET)
      const abandoned = difference(claimed(a), claimed(b))
      assert.deepEqual(intersection(left, leafPaths(abandoned, left)), EMPTY)
      assert.deepEqual(owned(alone, 'two'), claimed(b))
    })
  })

  test('commutes for different fields', () => {
    property(configuration, configuration, (a, b) => {
      const [left, right] = disjoint(a, b)
      // Without ownership the object is untracked, and its fields have no owner.
      fc.pre(!isEmpty(claimed(left)) && !isEmpty(claimed(right)))
      const one = forced(forced(undefined, left, 'one'), right, 'two')
      const two = forced(forced(undefined, right, 'two'), left, 'one')
      assert.deepEqual(ownership(one), ownership(two))
      assert.deepEqual(content(one).spec, content(two).spec)
    })
  })

  test('conflicts exactly on fields of other managers that would change', () => {
    property(configuration, configuration, (a, b) => {
      const live = forced(undefined, a, 'one')
      const after = forced(live, b, 'two')
      const lost = difference(owned(live, 'one'), owned(after, 'one'))
      let refused = false
      try {
        applied(live, b, 'two')
      } catch (error) {
        assert.ok(isConflict(error))
        refused = true
      }
      assert.equal(refused, JSON.stringify(lost) !== '{}')
    })
  })

  test('conflicts with an update that changed an applied field', () => {
    property(configuration, text, (a, note) => {
      const live = forced(undefined, a, 'one')
      const changed = { ...live, spec: { ...(live.spec as JsonObject), note } }
      const after = tracked(live, changed, 'updater')
      const conflicting = (a.spec as JsonObject).note !== undefined && (a.spec as JsonObject).note !== note
      if (conflicting)
        assert.throws(() => applied(after, a, 'one'), /conflict with "updater" using test.io\/v1: .spec.note/)
      else assert.doesNotThrow(() => applied(after, a, 'one'))
    })
  })

  test('never modifies its inputs', () => {
    property(configuration, configuration, (a, b) => {
      const live = forced(undefined, a, 'one')
      const before = JSON.stringify([live, b])
      forced(live, b, 'two')
      forced(live, b, 'one')
      assert.equal(JSON.stringify([live, b]), before)
    })
  })
})

describe('trackUpdate', () => {
  test('gives every field to one manager, the last one that changed it', () => {
    property(configuration, configuration, (a, b) => {
      const first = tracked(undefined, { ...a, metadata: { ...a.metadata, uid: 'u' } }, 'one')
      const second = tracked(first, { ...first, ...b, metadata: first.metadata }, 'two')
      assert.deepEqual(intersection(owned(second, 'one'), owned(second, 'two')), EMPTY)
    })
  })
})

/** Returns the paths of a set that are leaves in another set. */
function leafPaths(set: FieldSet, other: FieldSet): FieldSet {
  const kept: { [element: string]: FieldSet } = {}
  for (const element in set) {
    const here = set[element] as FieldSet
    const there = other[element]
    if (there === undefined) continue
    const bothLeaves = Object.keys(here).length === 0 && Object.keys(there).length === 0
    const below = leafPaths(here, there)
    if (bothLeaves) kept[element] = {}
    else if (Object.keys(below).length > 0) kept[element] = below
  }
  return kept
}

/** Returns two configurations without common spec fields. */
function disjoint(a: KubeObject, b: KubeObject): [KubeObject, KubeObject] {
  const left = a.spec as JsonObject
  const right = Object.fromEntries(Object.entries(b.spec as JsonObject).filter(([name]) => !Object.hasOwn(left, name)))
  return [a, widget({ spec: right })]
}
