import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { foreignFieldWarnings } from './foreign-fields.js'

function object(fields: object, owned: object = {}, manager = 'kubectl', subresource?: string): KubeObject {
  const managedFields = [{ manager, operation: 'Update', fieldsV1: owned, ...(subresource && { subresource }) }]
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x', managedFields }, ...fields } as unknown as KubeObject
}

test('foreignFieldWarnings: names fields, map entries and list elements of other managers that change', () => {
  const owned = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:a.b/c': {} } },
    'f:spec': {
      'f:replicas': {},
      'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } },
      'f:finalizers': { 'v:"x"': {} },
    },
  }
  const before = object({ spec: { replicas: 3, ports: [{ port: 80, name: 'web' }], finalizers: ['x'] } }, owned)
  const after = object({ spec: { replicas: 1, ports: [{ port: 80, name: 'http' }], finalizers: [] } })
  assert.deepEqual(foreignFieldWarnings(before, after, 'work-agent'), [
    'spec.replicas is managed by "kubectl" and changes from 3 to 1',
    'spec.ports[port=80,protocol="TCP"].name is managed by "kubectl" and changes from "web" to "http"',
    'spec.finalizers[="x"] is managed by "kubectl" and is removed',
  ])
})

test('foreignFieldWarnings: skips own fields, subresources, unchanged fields and unknown forms', () => {
  const owned = { 'f:spec': { 'f:a': {}, 'f:same': {}, 'x:odd': {} } }
  const [before, after] = [{ spec: { a: 1, same: [1] } }, { spec: { a: 2, same: [1] } }]
  assert.deepEqual(foreignFieldWarnings(object(before, owned, 'work-agent'), object(after), 'work-agent'), [])
  assert.deepEqual(foreignFieldWarnings(object(before, owned, 'kubelet', 'status'), object(after), 'work-agent'), [])
  assert.equal(foreignFieldWarnings(object(before, owned), object(after), 'work-agent').length, 1)
})

test('foreignFieldWarnings: is bounded in number and length', () => {
  const names = Array.from({ length: 50 }, (_, at) => `k${at}`)
  const owned = { 'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) }
  const data = (value: string) => ({ data: Object.fromEntries(names.map((name) => [name, value.repeat(1_000)])) })
  const warnings = foreignFieldWarnings(object(data('a'), owned), object(data('b')), 'work-agent')
  assert.equal(warnings.length, 21)
  assert.equal(warnings.at(-1), '30 more fields of other managers change')
  assert.ok(warnings.every((warning) => warning.length < 250))
})

test('foreignFieldWarnings: reads each of many list elements a few times', () => {
  let reads = 0
  const uids = Array.from({ length: 300 }, (_, index) => `u${index}`)
  const owned = Object.fromEntries(uids.map((uid) => [`k:${JSON.stringify({ uid })}`, {}]))
  const objectWith = (name: string) =>
    ({
      metadata: {
        ownerReferences: uids.map((uid) => ({
          name,
          get uid() {
            reads++
            return uid
          },
        })),
        managedFields: [{ manager: 'other', fieldsV1: { 'f:metadata': { 'f:ownerReferences': owned } } }],
      },
    }) as unknown as KubeObject
  const warnings = foreignFieldWarnings(objectWith('a'), objectWith('b'), 'work-agent')
  assert.equal(warnings.at(-1), '280 more fields of other managers change')
  assert.ok(reads <= 20 * 300, `${reads} reads`)
})
