import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { fieldSet } from './algebra.js'
import { LAST_APPLIED } from './last-applied.js'
import { isNoOpWrite } from './no-op.js'
import { without } from './versions.js'
import { applied, content, created, NOW, ownership, THEN, tracked, VERSION, WIDGET, widget } from './widget.fixture.js'

const spec = (fields: JsonObject): JsonObject => ({ 'f:spec': fields })
const conf = (fields: JsonObject, meta: JsonObject = {}) => widget({ spec: fields }, meta)
const specOf = (object: KubeObject) => object.spec

function failure(run: () => unknown): StatusError {
  try {
    run()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('applyPatch', () => {
  test('creates the object and owns exactly what was applied', () => {
    const object = applied(undefined, conf({ note: 'a', ports: [{ port: 80 }] }, { labels: { a: 'b' } }), 'me')
    assert.deepEqual(specOf(object), { note: 'a', ports: [{ port: 80 }] })
    assert.deepEqual(object.metadata.managedFields, [
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: VERSION,
        time: NOW,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:a': {} } },
          'f:spec': { 'f:note': {}, 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
        },
      },
    ])
  })

  test('owns empty and null values, and map keys with their content', () => {
    const object = applied(
      undefined,
      conf({ nested: {}, note: null, values: { k: { x: 1 } }, tags: [], raw: { a: {} } }),
      'me',
    )
    assert.deepEqual(
      ownership(object).me,
      spec({ 'f:nested': {}, 'f:note': {}, 'f:raw': { 'f:a': {} }, 'f:values': { 'f:k': { '.': {}, 'f:x': {} } } }),
    )
  })

  test('does not own the identity of the object', () => {
    assert.equal(applied(undefined, widget(), 'me').metadata.managedFields, undefined)
  })

  test('changes nothing when repeated, not even the time', () => {
    const config = conf({ note: 'a', parts: [{ name: 'p', image: 'i' }], raw: { a: { b: [1] } } })
    const first = applied(undefined, config, 'me', { time: THEN })
    assert.equal(applied(first, structuredClone(config), 'me', { time: NOW }), first)
  })

  test('removes fields that are no longer applied', () => {
    const first = applied(undefined, conf({ note: 'a', nested: { a: '1', b: '2' }, tags: ['x', 'y'] }), 'me')
    const second = applied(first, conf({ nested: { a: '1' }, tags: ['y'] }), 'me')
    assert.deepEqual(specOf(second), { nested: { a: '1' }, tags: ['y'] })
  })

  test('leaves null where it applies null and nothing else is left', () => {
    const first = applied(undefined, conf({ nested: { a: '1' }, tags: ['x'] }), 'me')
    const second = applied(first, conf({ nested: null, tags: null }), 'me')
    assert.deepEqual(specOf(second), { nested: null, tags: null })
    const others = applied(first, conf({ nested: { b: '2' } }), 'you')
    assert.deepEqual(specOf(applied(others, conf({ nested: null }), 'me')), { nested: { b: '2' } })
  })

  test('removes the last item together with its list', () => {
    const first = applied(undefined, conf({ note: 'a', parts: [{ name: 'p' }] }), 'me')
    assert.deepEqual(specOf(applied(first, conf({ note: 'a' }), 'me')), { note: 'a' })
  })

  test('keeps fields of other managers and fields without an owner', () => {
    const first = applied(undefined, conf({ nested: { a: '1', b: '2' }, tags: ['x'] }), 'one')
    const second = applied(first, conf({ nested: { b: '2' }, tags: ['x'] }), 'two')
    const extra = { ...second, spec: { ...(second.spec as JsonObject), replicas: 3 } }
    const third = applied(tracked(second, extra, 'updater'), widget(), 'one')
    assert.deepEqual(specOf(third), { nested: { b: '2' }, tags: ['x'], replicas: 3 })
    assert.deepEqual(Object.keys(ownership(third)).sort(), ['two', 'updater'])
  })

  test('keeps defaults of an applied item', () => {
    const first = applied(undefined, conf({ parts: [{ name: 'p', image: 'i' }] }), 'me')
    const defaulted = { ...first, spec: { parts: [{ name: 'p', image: 'i', args: ['default'] }] } }
    const second = applied(defaulted, conf({ parts: [{ name: 'p' }] }), 'me')
    assert.deepEqual(specOf(second), { parts: [{ name: 'p', args: ['default'] }] })
    assert.deepEqual(specOf(applied(defaulted, conf({}), 'me')), {})
  })

  test('shares ownership of equal values without an own timestamp', () => {
    const first = applied(undefined, conf({ note: 'a' }), 'one', { time: THEN })
    const second = applied(first, conf({ note: 'a' }), 'two')
    assert.deepEqual(content(second), content(first))
    const times = second.metadata.managedFields?.map((entry) => [entry.manager, entry.time])
    assert.deepEqual(times, [
      ['two', undefined],
      ['one', THEN],
    ])
  })

  test('does not modify the live object', () => {
    const live = applied(undefined, conf({ note: 'a', tags: ['x'] }), 'one')
    const before = JSON.stringify(live)
    applied(live, conf({ note: 'b', tags: ['y'] }), 'one')
    assert.equal(JSON.stringify(live), before)
  })

  test('owns only what a subresource can change', () => {
    const filters = new Map([[VERSION, without(fieldSet(['spec'], ['metadata']))]])
    const live = applied(undefined, conf({ note: 'a' }), 'one')
    const config = widget({ spec: { note: 'a' }, status: { ready: 1 } }, { labels: { a: 'b' } })
    const after = applied(live, config, 'one', { filters, subresource: 'status' })
    const entry = after.metadata.managedFields?.find((one) => one.subresource === 'status')
    assert.deepEqual(entry?.fieldsV1, { 'f:status': { 'f:ready': {} } })
  })

  test('keeps one entry of an applier across versions', () => {
    const versions = {
      schema: () => WIDGET,
      convert: (object: JsonObject, apiVersion: string) => ({ ...object, apiVersion }),
    }
    const first = applied(undefined, conf({ note: 'a', replicas: 1 }), 'me', { versions })
    const config = { ...conf({ note: 'a' }), apiVersion: 'test.io/v2' }
    const second = applied({ ...first, apiVersion: 'test.io/v2' }, config, 'me', { versions, apiVersion: 'test.io/v2' })
    assert.deepEqual(specOf(second), { note: 'a' })
    assert.deepEqual(
      second.metadata.managedFields?.map((entry) => entry.apiVersion),
      ['test.io/v2'],
    )
  })

  test('owns a value as a whole if its schema became atomic', () => {
    const live = applied(undefined, conf({ selector: { a: 'b' } }), 'one')
    const entry = { ...live.metadata.managedFields?.[0], fieldsV1: spec({ 'f:selector': { 'f:a': {} } }) }
    const old: KubeObject = { ...live, metadata: { ...live.metadata, managedFields: [entry] } }
    const error = failure(() => applied(old, conf({ selector: { a: 'c' } }), 'two'))
    assert.equal(error.message, 'Apply failed with 1 conflict: conflict with "one": .spec.selector')
  })

  test('handles deep nesting', () => {
    let raw: JsonValue = 'deep'
    for (let depth = 0; depth < 1000; depth++) raw = { a: raw }
    const live = applied(undefined, conf({ raw }), 'one')
    assert.deepEqual(specOf(applied(live, conf({}), 'one')), {})
    assert.equal(failure(() => applied(live, conf({ raw: { a: 1 } }), 'two')).code, 409)
  })

  test('repairs items with duplicate keys', () => {
    const live = created('bad', {
      spec: {
        parts: [
          { name: 'a', image: '1' },
          { name: 'a', image: '2' },
        ],
      },
    })
    const after = applied(live, conf({ parts: [{ name: 'a', image: '3' }] }), 'me', { force: true })
    assert.deepEqual(specOf(after), { parts: [{ name: 'a', image: '3' }] })
  })
})

describe('applyPatch conflicts', () => {
  const live = applied(undefined, conf({ note: 'a', replicas: 1 }), 'one')

  test('name a single conflict on one line', () => {
    const error = failure(() => applied(live, conf({ note: 'b' }), 'two'))
    assert.deepEqual(error.status, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'Conflict',
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "one": .spec.note',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.spec.note' }] },
    })
  })

  test('list several by manager, updaters with version and subresource', () => {
    const scaled = tracked(live, { ...live, spec: { note: 'a', replicas: 5 } }, 'scaler', { subresource: 'scale' })
    const error = failure(() => applied(scaled, conf({ note: 'b', replicas: 2 }), 'two'))
    assert.equal(
      error.message,
      [
        'Apply failed with 2 conflicts: conflicts with "one":',
        '- .spec.note',
        'conflicts with "scaler" with subresource "scale" using test.io/v1:',
        '- .spec.replicas',
      ].join('\n'),
    )
  })

  test('list a limited number, with truncated paths', () => {
    const raw = (value: string) => ({
      raw: {
        ['x'.repeat(1_000_000)]: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, value])),
      },
    })
    const error = failure(() => applied(applied(undefined, conf(raw('a')), 'one'), conf(raw('b')), 'two'))
    assert.match(error.message, /^Apply failed with 100000 conflicts: /)
    assert.match(error.message, /and 99500 more$/)
    assert.equal(error.status.details?.causes?.length, 500)
    assert.ok(JSON.stringify(error.status).length < 10_000_000)
  })

  test('do not occur if the value is the same', () => {
    assert.doesNotThrow(() => applied(live, conf({ note: 'a' }), 'two'))
  })

  test('are resolved by force, which takes the fields', () => {
    const after = applied(live, conf({ note: 'b' }), 'two', { force: true })
    assert.deepEqual(ownership(after), { one: spec({ 'f:replicas': {} }), two: spec({ 'f:note': {} }) })
    assert.deepEqual(specOf(after), { note: 'b', replicas: 1 })
  })

  test('resolved by force remove managers without fields', () => {
    const after = applied(live, conf({ note: 'b', replicas: 2 }), 'two', { force: true })
    assert.deepEqual(Object.keys(ownership(after)), ['two'])
  })

  test('name a manager for fields from before the first apply', () => {
    const bare = widget({ spec: { note: 'a', replicas: 1 } }, { uid: 'u' })
    const error = failure(() => applied(bare, conf({ note: 'b' }), 'me'))
    assert.equal(
      error.message,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using test.io/v1: .spec.note',
    )
    assert.deepEqual(ownership(applied(bare, conf({ note: 'a' }), 'me')), {
      me: spec({ 'f:note': {} }),
      'before-first-apply': spec({ '.': {}, 'f:note': {}, 'f:replicas': {} }),
    })
  })
})

describe('applyPatch refuses a configuration', () => {
  const refused = (config: JsonValue | KubeObject) => failure(() => applied(undefined, config, 'me')).status

  test('of another kind or version', () => {
    const status = refused({ ...conf({}), apiVersion: 'v1', kind: 'Pod' })
    assert.equal(status.code, 400)
    assert.equal(status.message, 'invalid object type: /v1, Kind=Pod')
    assert.equal(refused({}).message, 'invalid object type: /, Kind=')
  })

  test('with managed fields', () => {
    assert.equal(refused(conf({}, { managedFields: [] })).message, 'metadata.managedFields must be nil')
  })

  test('that does not match the schema', () => {
    const status = refused(conf({ foo: 1 }, { namespace: 'ns' }))
    assert.equal(status.code, 400)
    const what = 'failed to create typed patch object (ns/w; test.io/v1, Kind=Widget)'
    assert.equal(status.message, `${what}: .spec.foo: field not declared in schema`)
  })

  test('that is not an object', () => {
    assert.match(refused(['a']).message ?? '', /cannot unmarshal array into Go value/)
  })
})

describe('applyPatch after client-side apply', () => {
  const config = conf({ note: 'a', replicas: 1 })
  const annotated = (value: string) =>
    created(
      'kubectl-client-side-apply',
      { spec: { note: 'a', replicas: 1 } },
      { annotations: { [LAST_APPLIED]: value } },
    )
  const live = annotated(`${JSON.stringify(config)}\n`)

  test('lets kubectl take over unchanged fields', () => {
    const after = applied(live, conf({ note: 'b', replicas: 2 }), 'kubectl')
    assert.deepEqual(specOf(after), { note: 'b', replicas: 2 })
  })

  test('does not let kubectl take over fields that another manager changed', () => {
    const changed = tracked(live, { ...live, spec: { note: 'a', replicas: 9 } }, 'other')
    const error = failure(() => applied(changed, conf({ note: 'b', replicas: 2 }), 'kubectl'))
    assert.equal(error.message, 'Apply failed with 1 conflict: conflict with "other" using test.io/v1: .spec.replicas')
  })

  test('lets other managers take over nothing', () => {
    assert.equal(failure(() => applied(live, conf({ note: 'b' }), 'me')).code, 409)
  })

  test('updates the annotation, with sorted members and without itself', () => {
    const after = applied(
      live,
      conf({ replicas: 1, note: '<b>' }, { annotations: { [LAST_APPLIED]: 'x' } }),
      'kubectl',
      { force: true },
    )
    assert.equal(
      after.metadata.annotations?.[LAST_APPLIED],
      '{"apiVersion":"test.io/v1","kind":"Widget","metadata":{"annotations":{},"name":"w"},"spec":{"note":"\\u003cb\\u003e","replicas":1}}\n',
    )
  })

  for (const broken of ['not json', '[]', '{"apiVersion":"v9"}', '{"apiVersion":"test.io/v1","spec":{"foo":1}}']) {
    test(`ignores an annotation of ${broken}`, () => {
      assert.equal(failure(() => applied(annotated(broken), conf({ note: 'b' }), 'kubectl')).code, 409)
    })
  }

  test('removes an annotation that would be too large', () => {
    const after = applied(live, conf({ note: 'x'.repeat(300_000), replicas: 1 }), 'kubectl')
    assert.equal(after.metadata.annotations?.[LAST_APPLIED], undefined)
  })
})

describe('isNoOpWrite', () => {
  const live = applied(undefined, conf({ note: 'a', tags: ['x'] }), 'me', { time: THEN })
  const again: KubeObject = {
    ...live,
    metadata: {
      ...live.metadata,
      managedFields: (live.metadata.managedFields ?? []).map((entry) => ({ ...entry, time: NOW })),
    },
  }

  test('ignores timestamps', () => {
    assert.equal(isNoOpWrite(live, again, WIDGET, true), true)
    assert.equal(isNoOpWrite(live, { ...again, spec: { note: 'b', tags: ['x'] } }, WIDGET, true), false)
  })

  test('ignores empty values of built-in kinds', () => {
    const padded = { ...again, metadata: { ...again.metadata, labels: {}, finalizers: [] }, status: {} }
    assert.equal(isNoOpWrite(live, padded, WIDGET, false), true)
    assert.equal(isNoOpWrite(live, padded, WIDGET, true), false)
    assert.equal(isNoOpWrite(live, { ...padded, spec: { note: 'a', tags: ['x'], nested: {} } }, WIDGET, false), false)
  })

  test('compares managers', () => {
    assert.equal(
      isNoOpWrite(live, { ...again, metadata: { ...again.metadata, managedFields: [] } }, WIDGET, true),
      false,
    )
  })
})
