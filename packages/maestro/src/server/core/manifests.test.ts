import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MaestroError } from '../errors.js'
import { readSpec } from './manifests.js'

const read = (value: unknown) => readSpec(Buffer.from(JSON.stringify(value)))
const object = (metadata: object, rest: object = {}) => ({ apiVersion: 'v1', kind: 'A', metadata, ...rest })

test('readSpec: splits the data and keeps its bytes', () => {
  const text =
    '{ "manifests" : [ {"apiVersion":"v1","kind":"A","metadata":{"name":"a"}} ],"executer":null, "deleteOption":{ } }'
  const spec = readSpec(Buffer.from(text))
  assert.equal(String(spec.manifests), '[ {"apiVersion":"v1","kind":"A","metadata":{"name":"a"}} ]')
  assert.equal(String(spec.deleteOption), '{ }')
  assert.deepEqual(Object.keys(spec), ['manifests', 'deleteOption'])
})

test('readSpec: accepts manifests that differ in one part of their identity', () => {
  const manifests = [
    object({ name: 'a' }),
    object({ name: 'a', namespace: 'x' }),
    object({ name: 'a' }, { kind: 'B' }),
    object({ name: 'a' }, { apiVersion: 'example.com/v1' }),
  ]
  assert.ok(read({ manifests }))
})

for (const [manifest, problem] of [
  [object({}), 'metadata.name: Required value: field not set'],
  [object({ name: 'a' }, { apiVersion: 'a/b/c' }), 'apiVersion: Invalid value: "a/b/c": bad format'],
  [object({ name: 'a' }, { apiVersion: '/v1' }), 'apiVersion: Invalid value: "/v1": group not set'],
  [object({ name: 'a' }, { apiVersion: 'x/' }), 'apiVersion: Invalid value: "x/": version not set'],
  [object({ name: 'a' }, { kind: '' }), 'kind: Required value: field not set'],
  [object({ name: 'a', resourceVersion: '1' }), 'metadata.resourceVersion: Forbidden: field cannot be set'],
  [
    object({ name: 'a', deletionGracePeriodSeconds: 1 }),
    'metadata.deletionGracePeriodSeconds: Forbidden: field cannot be set',
  ],
  [object({ name: 'a', namespace: 'A_B' }), 'metadata.namespace: Invalid value: "A_B": '],
  [object({ name: 'a', labels: { '-': 'x' } }), 'metadata.labels: Invalid value: "-": '],
  [object({ name: 'a', labels: { x: '-' } }), 'metadata.labels: Invalid value: "-": '],
  [object({ name: 'a', annotations: { '-': 'x' } }), 'metadata.annotations: Invalid value: "-": '],
  [object({ name: 'a', finalizers: ['-'] }), 'metadata.finalizers: Invalid value: "-": '],
] as const) {
  test(`readSpec: refuses ${JSON.stringify(manifest)}`, () => {
    assert.throws(
      () => read({ manifests: [manifest] }),
      (error: MaestroError) => {
        assert.ok(error instanceof MaestroError && error.kind === 'Validation')
        assert.ok(error.reason.startsWith(`the manifest bundle in the resource is invalid, ${problem}`), error.reason)
        return true
      },
    )
  })
}

for (const part of ['"executer":"x"', '"executer":[]', '"deleteOption":1', '"manifestConfigs":{}']) {
  test(`readSpec: refuses ${part}`, () => {
    assert.throws(() => readSpec(Buffer.from(`{"manifests":[],${part}}`)), /has to be an object|has to be a list/)
  })
}

for (const text of ['', 'null', '[]', '{}', '{"manifests":null}', '{"manifests":{}}', '{"manifests":[1]}']) {
  test(`readSpec: refuses the data ${JSON.stringify(text)}`, () => {
    assert.throws(() => readSpec(Buffer.from(text)), MaestroError)
  })
}

test('readSpec: names the first of very many problems', () => {
  const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`-${index}`, '-']))
  assert.throws(
    () => read({ manifests: [object({ name: 'a', labels })] }),
    (error: MaestroError) => error.reason.length < 20_000,
  )
})
