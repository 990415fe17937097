import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import fc from 'fast-check'
import { fieldsLeftAlone, withFieldsOf, withoutFields } from './ignore-fields.js'
import { pointerPath } from './json-pointer.js'
import { IgnoreFieldError, inRemovalOrder, valueAt } from './path.js'

const onPresent = (fields: object) => [{ condition: 'OnSpokePresent', ...fields }] as never

const manifest: JsonObject = {
  metadata: { name: 'web' },
  spec: {
    replicas: 3,
    containers: [
      { name: 'a', cpu: 1 },
      { name: 'b', cpu: 2 },
    ],
    list: [1, 2, 3],
    'a/b': { 'c~d': true },
  },
}

test('jsonPathFields: selects fields, also in each item of a list', () => {
  assert.deepEqual(fieldsLeftAlone(manifest, onPresent({ jsonPaths: ['.spec.replicas'] })), [['spec', 'replicas']])
  assert.deepEqual(fieldsLeftAlone(manifest, onPresent({ jsonPaths: ['.spec.containers[*].cpu'] })), [
    ['spec', 'containers', 1, 'cpu'],
    ['spec', 'containers', 0, 'cpu'],
  ])
  assert.deepEqual(fieldsLeftAlone(manifest, onPresent({ jsonPaths: [".spec.containers[?(@.name=='b')].cpu"] })), [
    ['spec', 'containers', 1, 'cpu'],
  ])
  assert.deepEqual(fieldsLeftAlone(manifest, onPresent({ jsonPaths: ['.metadata', '.spec.nowhere.at.all'] })), [
    ['metadata'],
  ])
})

test('jsonPathFields: rejects a path that does not end in a field', () => {
  for (const path of ['', 'spec', '.spec.list[0]', '.spec[.x']) {
    assert.throws(() => fieldsLeftAlone(manifest, onPresent({ jsonPaths: [path] })), IgnoreFieldError)
  }
})

test('pointerPath: follows RFC 6901', () => {
  assert.deepEqual(pointerPath(manifest, '/spec/list/1'), ['spec', 'list', 1])
  assert.deepEqual(pointerPath(manifest, '/spec/a~1b/c~0d'), ['spec', 'a/b', 'c~d'])
  for (const missing of ['/spec/list/3', '/spec/list/01', '/spec/list/-', '/spec/replicas/x', '/nowhere']) {
    assert.equal(pointerPath(manifest, missing), undefined)
  }
  assert.throws(() => pointerPath(manifest, 'spec'), IgnoreFieldError)
  assert.throws(() => pointerPath(manifest, '/a~2'), IgnoreFieldError)
})

test('fieldsLeftAlone: does not include fields with the condition OnSpokeChange', () => {
  assert.deepEqual(fieldsLeftAlone(manifest, [{ condition: 'OnSpokeChange', jsonPaths: ['.spec.replicas'] }]), [])
})

test('withoutFields: does not modify shared objects', () => {
  const before = JSON.stringify(manifest)
  const paths = fieldsLeftAlone(
    manifest,
    onPresent({ jsonPointers: ['/spec/list/0', '/spec/list/2', '/spec/replicas'] }),
  )
  const trimmed = withoutFields(manifest, paths)
  assert.deepEqual(valueAt(trimmed, ['spec', 'list']), [2])
  assert.equal(valueAt(trimmed, ['spec', 'replicas']), undefined)
  assert.equal(JSON.stringify(manifest), before)
})

test('withFieldsOf: takes ignored fields from the object, and matches list items by name', () => {
  const paths = fieldsLeftAlone(manifest, onPresent({ jsonPaths: ['.spec.replicas', '.spec.containers[*].cpu'] }))
  const current = { spec: { replicas: 9, containers: [{ name: 'b', cpu: 7 }, { name: 'x' }] } }
  const merged = withFieldsOf(manifest, paths, current)
  assert.equal(valueAt(merged, ['spec', 'replicas']), 9)
  assert.deepEqual(valueAt(merged, ['spec', 'containers']), [{ name: 'a' }, { name: 'b', cpu: 7 }])
})

test('inRemovalOrder: paths can be removed one after the other', () => {
  const index = fc.array(fc.nat(9), { maxLength: 9 })
  fc.assert(
    fc.property(index, (indexes) => {
      const list = [...Array(10).keys()]
      const paths = inRemovalOrder(indexes.map((at) => ['list', at]))
      const left = withoutFields({ list }, paths).list
      assert.deepEqual(
        left,
        list.filter((at) => !indexes.includes(at)),
      )
    }),
  )
})

test('fieldsLeftAlone: takes time linear in the number of fields and paths', () => {
  const count = 20_000
  const names = Array.from({ length: count }, (_, at) => `k${at}`)
  const large: JsonObject = {
    data: Object.fromEntries(names.map((name) => [name, 'x'])),
    list: names.map((name) => ({ name, on: false })),
  }
  const current: JsonObject = { data: { k1: 'y' }, list: names.map((name) => ({ name, on: true })) }
  const started = process.cpuUsage().user
  const fields = fieldsLeftAlone(large, onPresent({ jqPathExpressions: ['.data[]', '.list[].on'] }))
  assert.equal(fields.length, 2 * count)
  const rest = withoutFields(large, fields)
  assert.deepEqual(rest.data, {})
  assert.deepEqual(valueAt(rest, ['list', 7]), { name: 'k7' })
  const merged = withFieldsOf(large, fields, current)
  assert.deepEqual(merged.data, { k1: 'y' })
  assert.deepEqual(valueAt(merged, ['list', count - 1]), { name: `k${count - 1}`, on: true })
  fieldsLeftAlone(large, onPresent({ jsonPaths: Array.from({ length: 1_000 }, (_, at) => `.data.x${at}`) }))
  assert.ok(process.cpuUsage().user - started < 10_000_000)
  const descents = Array.from({ length: 10 }, (_, at) => `..a${at}.b`)
  assert.throws(() => fieldsLeftAlone(large, onPresent({ jsonPaths: descents })), /visit more than 50000 values/)
})

test('withoutFields: does not modify the manifest', () => {
  const before = structuredClone(manifest)
  const paths = fieldsLeftAlone(manifest, onPresent({ jqPathExpressions: ['.spec.list[]', '.spec.containers[0].cpu'] }))
  const { spec } = withoutFields(manifest, paths)
  assert.deepEqual(spec, {
    ...(before.spec as JsonObject),
    list: [],
    containers: [{ name: 'a' }, { name: 'b', cpu: 2 }],
  })
  assert.deepEqual(manifest, before)
})
