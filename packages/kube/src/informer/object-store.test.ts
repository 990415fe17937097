import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ObjectIndex } from './object-index.js'
import { ObjectStore } from './object-store.js'
import { type Thing, thing } from './scripted-server.fixture.js'

const letters = (object: Thing) => Object.values(object.data ?? {})
const fail = (error: unknown) => assert.fail(String(error))

const change = fc.record({
  namespace: fc.constantFrom('a', 'b', 'c'),
  name: fc.constantFrom('x', 'y', 'z', '__proto__'),
  gone: fc.boolean(),
  values: fc.array(fc.constantFrom('p', 'q', 'r'), { maxLength: 3 }),
})

test('ObjectStore: namespaces and indexes match the objects', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.nat(40), (changes, indexedAt) => {
      const store = new ObjectStore<Thing>()
      const expected = new Map<string, Thing>()
      for (const [at, { namespace, name, gone, values }] of changes.entries()) {
        if (at === indexedAt) store.addIndex('letters', letters, fail)
        const key = `${namespace}/${name}`
        if (gone) {
          assert.equal(store.delete(namespace, name), expected.get(key))
          expected.delete(key)
        } else {
          const object = thing(key, at, { data: { ...values } as never })
          store.put(object)
          expected.set(key, object)
        }
      }
      store.addIndex('letters', letters, fail)
      const all = [...expected.values()]
      const sorted = (things: readonly Thing[]) => things.map((one) => all.indexOf(one)).sort((a, b) => a - b)
      assert.equal(store.size, all.length)
      assert.deepEqual(sorted(store.list()), sorted(all))
      for (const one of all) assert.equal(store.get(one.metadata.namespace, one.metadata.name), one)
      for (const namespace of ['a', 'b', 'c', 'd']) {
        const there = all.filter(({ metadata }) => metadata.namespace === namespace)
        assert.deepEqual(sorted(store.list(namespace)), sorted(there))
      }
      for (const letter of ['p', 'q', 'r', 's']) {
        const there = all.filter((one) => letters(one).includes(letter))
        assert.deepEqual(sorted(store.byIndex('letters', letter)), sorted(there))
      }
    }),
  )
})

test('ObjectStore: finds cluster-scoped objects by name', () => {
  const store = new ObjectStore()
  const { namespace: _, ...metadata } = thing('a/x', 1).metadata
  const object = { apiVersion: 'v1', kind: 'Node', metadata }
  store.put(object)
  assert.equal(store.get(undefined, 'x'), object)
  assert.equal(store.get('', 'x'), object)
  assert.deepEqual(store.list(), [object])
  assert.equal('namespace' in object.metadata, false)
})

test('ObjectStore: an index has one function, and must exist', () => {
  const store = new ObjectStore<Thing>()
  store.addIndex('letters', letters, fail)
  store.addIndex('letters', letters, fail)
  assert.throws(() => store.addIndex('letters', () => [], fail), /with another function/)
  assert.throws(() => store.byIndex('numbers', '1'), /the index numbers does not exist/)
})

test('ObjectStore: an index uses no memory for unused values', () => {
  const index = new ObjectIndex<Thing>(letters, fail)
  for (let round = 0; round < 100; round++) {
    const object = thing('a/x', round, { data: { a: `value-${round}`, b: 'always' } })
    index.add(object)
    index.remove(object)
  }
  assert.equal(index.size, 0)
})

test('ObjectStore: an object for which the index function throws is stored, but not indexed', () => {
  const errors: unknown[] = []
  const store = new ObjectStore<Thing>()
  const picky = (object: Thing): string[] => {
    if (object.data === undefined) throw new Error('no data')
    return ['some']
  }
  store.addIndex('picky', picky, (error) => errors.push(error))
  store.put(thing('a/x', 1))
  store.put(thing('a/y', 1, { data: {} }))
  assert.equal(store.size, 2)
  assert.equal(store.byIndex('picky', 'some').length, 1)
  assert.equal(errors.length, 1)
})
