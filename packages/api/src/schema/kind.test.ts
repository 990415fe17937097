import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatFieldError } from '@orrery/kinds/values'
import { crdOf, defineKind, t } from './index.js'

const spec = t.object({
  size: t.integer({ minimum: 1 }),
  color: t.defaulted(t.enum(['red', 'blue']), 'red', { required: true }),
  manifests: t.optional(t.array(t.embedded())),
  ports: t.optional(t.array(t.object({ name: t.string() }), { listType: 'map', listMapKeys: ['name'] })),
  since: t.optional(t.time()),
})

const base = { group: 'example.com', kind: 'Widget', plural: 'widgets', description: 'A widget.' } as const
const Widget = defineKind({
  ...base,
  version: 'v1',
  scope: 'Namespaced',
  shortNames: ['wd'],
  fields: { spec, status: t.optional(t.object({ ready: t.optional(t.boolean()) })) },
  statusSubresource: true,
  columns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
})
const OldWidget = defineKind({
  ...base,
  version: 'v1beta1',
  scope: 'Namespaced',
  fields: { spec: t.raw() },
  storage: false,
  deprecated: true,
})

function problems(object: object): string[] {
  return Widget.validate(object).map(formatFieldError)
}

test('validate: reports the errors of the server', () => {
  assert.deepEqual(problems({ metadata: { name: 'a' }, spec: { size: 1 } }), [])
  assert.deepEqual(problems({ metadata: { name: 'a' } }), ['spec: Required value'])
  assert.deepEqual(problems({ spec: { size: 0, color: 'green', since: 'yesterday' } }), [
    'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    'spec.since: Invalid value: "yesterday": spec.since in body must be of type date-time: "yesterday"',
  ])
  assert.deepEqual(problems({ spec: { size: 1, ports: [{ name: 'a' }, { name: 'a' }] } }), [
    'spec.ports[1]: Duplicate value: {"name":"a"}',
  ])
  assert.deepEqual(problems({ spec: { size: 1, manifests: [{ kind: 'ConfigMap' }] } }), [
    'spec.manifests[0].apiVersion: Required value',
  ])
})

test('validate: does not change the object', () => {
  const object = Object.freeze({ spec: Object.freeze({ size: 1, color: null, unknown: 1 }) })
  assert.deepEqual(problems(object), [])
  assert.deepEqual(object, { spec: { size: 1, color: null, unknown: 1 } })
})

test('unknownFields: names the fields that the server would drop', () => {
  const object = Object.freeze({
    metadata: { name: 'a' },
    spec: { size: 1, ports: [{ name: 'a', port: 1 }], colour: 'red' },
  })
  assert.deepEqual(Widget.unknownFields(object), ['spec.colour', 'spec.ports[0].port'])
  assert.deepEqual(Widget.unknownFields({ sepc: {} }), ['sepc'])
  assert.deepEqual(Object.keys(object.spec), ['size', 'ports', 'colour'])
})

test('complete: prunes and defaults as the server does', () => {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: 'b' } }
  const draft = { metadata: { name: 'a' }, spec: { size: 2, manifests: [manifest], more: 1, since: null } }
  assert.deepEqual(Widget.complete(draft as never), {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: { size: 2, color: 'red', manifests: [manifest] },
  })
})

test('crdOf: includes all versions of a kind', () => {
  const crd = crdOf([Widget, OldWidget], { strategy: 'None' })
  assert.equal(crd.metadata.name, 'widgets.example.com')
  assert.deepEqual(crd.spec.names, {
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wd'],
  })
  const [v1, v1beta1] = crd.spec.versions
  assert.deepEqual(v1?.subresources, { status: {} })
  assert.deepEqual(v1?.additionalPrinterColumns, [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }])
  assert.deepEqual(v1?.schema?.openAPIV3Schema?.required, ['spec'])
  assert.deepEqual([v1?.storage, v1beta1?.storage, v1beta1?.deprecated], [true, false, true])
  assert.deepEqual(crd.spec.conversion, { strategy: 'None' })
})

test('crdOf: rejects versions of different resources', () => {
  const Other = defineKind({ ...base, plural: 'others', version: 'v2', scope: 'Namespaced', fields: {} })
  assert.throws(() => crdOf([Widget, Other]), /others\.example\.com is not a version of widgets\.example\.com/)
})
