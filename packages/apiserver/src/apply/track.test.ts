import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { fieldSet } from './algebra.js'
import { trackUpdate } from './track.js'
import { without } from './versions.js'
import { applied, created, NOW, ownership, SHAPE, THEN, tracked, VERSION, WIDGET, widget } from './widget.fixture.js'

const spec = (fields: JsonObject): JsonObject => ({ 'f:spec': fields })

describe('trackUpdate for a create', () => {
  test('gives the creator everything it set, and the containers', () => {
    const object = created('me', { spec: { note: 'a', tags: ['x'] } }, { labels: { a: 'b' } })
    assert.deepEqual(object.metadata.managedFields, [
      {
        manager: 'me',
        operation: 'Update',
        apiVersion: VERSION,
        time: THEN,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': { '.': {}, 'f:note': {}, 'f:tags': { '.': {}, 'v:"x"': {} } },
        },
      },
    ])
  })

  test('writes the fields of an entry in the order of Kubernetes', () => {
    const [entry] = tracked(undefined, widget({ spec: { note: 'a' } }), 'me', { subresource: 'status' }).metadata
      .managedFields as ManagedFieldsEntry[]
    const order = ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource']
    assert.deepEqual(Object.keys(entry ?? {}), order)
  })

  test('returns nothing for an object without owned fields', () => {
    assert.equal(created('me', {}).metadata.managedFields, undefined)
  })

  test('names a manager without a name unknown', () => {
    assert.deepEqual(Object.keys(ownership(created('', { spec: { note: 'a' } }))), ['unknown'])
  })

  test('does not track an object with a list without keys', () => {
    assert.equal(created('me', { spec: { tags: [null] } }).metadata.managedFields, undefined)
  })
})

describe('trackUpdate for an update', () => {
  const live = created('first', { spec: { note: 'a', replicas: 1 } })

  test('gives a changed field to the manager that changed it', () => {
    const after = tracked(live, { ...live, spec: { note: 'b', replicas: 1 } }, 'second')
    assert.deepEqual(ownership(after), {
      first: spec({ '.': {}, 'f:replicas': {} }),
      second: spec({ 'f:note': {} }),
    })
  })

  test('leaves a removed field without an owner, and sets no new timestamp', () => {
    const after = tracked(live, { ...live, spec: { note: 'a' } }, 'second')
    assert.deepEqual(ownership(after), { first: spec({ '.': {}, 'f:note': {} }) })
    assert.equal(after.metadata.managedFields?.[0]?.time, THEN)
  })

  test('keeps the entries if nothing changes', () => {
    const after = tracked(live, structuredClone(live), 'second')
    assert.equal(after.metadata.managedFields, live.metadata.managedFields)
  })

  test('merges further fields of a manager into its entry with a new timestamp', () => {
    const after = tracked(live, { ...live, spec: { note: 'a', replicas: 2, paused: true } }, 'first')
    const [entry] = after.metadata.managedFields as ManagedFieldsEntry[]
    assert.deepEqual(entry?.fieldsV1, spec({ '.': {}, 'f:note': {}, 'f:paused': {}, 'f:replicas': {} }))
    assert.equal(entry?.time, NOW)
  })

  test('distinguishes managers by subresource and operation', () => {
    const status = tracked(live, { ...live, status: { ready: 1 } }, 'first', { subresource: 'status' })
    const after = applied(status, widget({ spec: { paused: true } }), 'first')
    const who = (after.metadata.managedFields ?? []).map((entry) => [entry.operation, entry.subresource])
    assert.deepEqual(who, [
      ['Apply', undefined],
      ['Update', undefined],
      ['Update', 'status'],
    ])
  })

  test('removes changed fields from appliers', () => {
    const mine = applied(undefined, widget({ spec: { note: 'a', replicas: 1 } }), 'applier')
    const after = tracked(mine, { ...mine, spec: { note: 'b', replicas: 1 } }, 'updater')
    assert.deepEqual(ownership(after), { applier: spec({ 'f:replicas': {} }), updater: spec({ 'f:note': {} }) })
  })

  test('does not own fields that a subresource cannot change', () => {
    const filters = new Map([[VERSION, without(fieldSet(['status']))]])
    const after = tracked(live, { ...live, spec: { note: 'b', replicas: 1 }, status: { ready: 1 } }, 'x', { filters })
    assert.deepEqual(ownership(after).x, spec({ 'f:note': {} }))
  })

  test('keeps an untracked object untracked', () => {
    const bare = widget({ spec: { note: 'a' } }, { uid: 'u' })
    assert.equal(tracked(bare, { ...bare, spec: { note: 'b' } }, 'x').metadata.managedFields, undefined)
  })

  test('drops managers of unknown versions', () => {
    const versions = { schema: () => undefined, convert: (object: JsonObject) => object }
    const old = { ...(live.metadata.managedFields?.[0] as ManagedFieldsEntry), apiVersion: 'test.io/v0' }
    const before: KubeObject = { ...live, metadata: { ...live.metadata, managedFields: [old] } }
    const after = tracked(before, { ...before, spec: { note: 'b', replicas: 1 } }, 'x', { versions })
    assert.deepEqual(Object.keys(ownership(after)), ['x'])
  })

  test('converts changes for managers of other versions', () => {
    const versions = {
      schema: () => WIDGET,
      convert: (object: JsonObject) => ({ ...object, spec: { note: (object.spec as JsonObject).replicas ?? null } }),
    }
    const entry: ManagedFieldsEntry = {
      ...(live.metadata.managedFields?.[0] as ManagedFieldsEntry),
      apiVersion: 'test.io/v2',
      fieldsV1: spec({ 'f:note': {}, 'f:paused': {} }),
    }
    const before: KubeObject = { ...live, metadata: { ...live.metadata, managedFields: [entry] } }
    const after = tracked(before, { ...before, spec: { note: 'a', replicas: 5 } }, 'x', { versions })
    assert.deepEqual(ownership(after), { first: spec({ 'f:paused': {} }), x: spec({ 'f:replicas': {} }) })
  })
})

describe('trackUpdate with managed fields from a client', () => {
  const live = created('first', { spec: { note: 'a' } })
  const sent = (managedFields: unknown, note = 'a') =>
    ({ ...live, spec: { note }, metadata: { ...live.metadata, managedFields } }) as KubeObject
  const entry: ManagedFieldsEntry = {
    manager: 'edited',
    operation: 'Update',
    apiVersion: VERSION,
    time: THEN,
    fieldsType: 'FieldsV1',
    fieldsV1: spec({ 'f:note': {} }),
  }

  test('removes all managers for an empty list or one empty entry', () => {
    assert.equal(tracked(live, sent([]), 'x').metadata.managedFields, undefined)
    assert.equal(tracked(live, sent([{}]), 'x').metadata.managedFields, undefined)
  })

  test('replaces the stored entries by valid ones', () => {
    assert.deepEqual(tracked(live, sent([entry]), 'x').metadata.managedFields, [entry])
  })

  for (const [what, bad] of Object.entries<unknown>({
    nothing: undefined,
    'an unknown operation': [{ ...entry, operation: 'Own' }],
    'no version': [{ ...entry, apiVersion: '' }],
    'no type': [{ ...entry, fieldsType: undefined }],
    'another type': [{ ...entry, fieldsType: 'FieldsV2' }],
    'broken fields': [{ ...entry, fieldsV1: { nonsense: {} } }],
    'no list': 'x',
    'no entries': ['x'],
  })) {
    test(`keeps the stored entries for ${what}`, () => {
      assert.deepEqual(tracked(live, sent(bad), 'x').metadata.managedFields, live.metadata.managedFields)
    })
  }

  test('ignores them for a subresource', () => {
    const after = tracked(live, sent([entry], 'b'), 'x', { subresource: 'status' })
    assert.deepEqual(Object.keys(ownership(after)), ['first', 'x'])
  })
})

describe('capUpdateManagers', () => {
  test('merges the oldest above ten', () => {
    let object = created('m-00', { spec: { values: {} } })
    for (let i = 1; i <= 12; i++) {
      const values = Object.fromEntries(Array.from({ length: i }, (_, k) => [`k${k}`, { x: k }]))
      const time = `2024-02-01T00:00:${String(i).padStart(2, '0')}Z`
      const manager = `m-${String(i).padStart(2, '0')}`
      object = tracked(object, { ...object, spec: { values } }, manager, { time })
    }
    const entries = object.metadata.managedFields ?? []
    assert.equal(entries.length, 10)
    assert.equal(entries[0]?.manager, 'ancient-changes')
    assert.equal(entries[0]?.time, '2024-02-01T00:00:03Z')
    assert.deepEqual(
      entries.slice(1).map((one) => one.manager),
      ['m-04', 'm-05', 'm-06', 'm-07', 'm-08', 'm-09', 'm-10', 'm-11', 'm-12'],
    )
  })

  for (const [title, versionOf] of [
    ['one version', () => VERSION],
    ['as many versions', (i: number) => `v${i}`],
  ] as const) {
    test(`takes linear time for many updaters of ${title}`, () => {
      const updaters = Array.from({ length: 20_000 }, (_, i) => ({
        manager: `m-${i}`,
        operation: 'Update' as const,
        apiVersion: versionOf(i),
        fieldsType: 'FieldsV1' as const,
        fieldsV1: { [`f:x${i}`]: {} },
      }))
      const values = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, { x: i }]))
      const live = created('first', { spec: { note: 'a', values } })
      const sent = { ...live, metadata: { ...live.metadata, managedFields: updaters }, spec: { note: 'b', values } }
      const begin = process.cpuUsage().user
      const entries = tracked(live, sent, 'second').metadata.managedFields ?? []
      const microseconds = process.cpuUsage().user - begin
      assert.ok(entries.some(({ manager }) => manager === 'second'))
      assert.ok(microseconds < 5_000_000, `${microseconds} µs`)
    })
  }

  test('does not count appliers', () => {
    let object: KubeObject = applied(undefined, widget({ spec: { note: 'a' } }), 'applier-0')
    for (let i = 1; i < 15; i++) object = applied(object, widget({ spec: { note: 'a' } }), `applier-${i}`)
    assert.equal(object.metadata.managedFields?.length, 15)
  })

  test('sorts entries by operation, time and name', () => {
    const first = tracked(undefined, widget({ spec: { note: 'a' } }, { uid: 'u' }), 'z', { time: THEN })
    const second = tracked(first, { ...first, spec: { note: 'a', replicas: 1 } }, 'b', { time: NOW })
    const third = tracked(second, { ...second, spec: { note: 'a', replicas: 1, paused: true } }, 'a', { time: NOW })
    const last = applied(third, widget({ spec: { note: 'a' } }), 'y')
    assert.deepEqual(Object.keys(ownership(last)), ['y', 'z', 'a', 'b'])
  })
})

test('trackUpdate: takes microseconds for a small object', () => {
  const values = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key${i}`, { y: 'v'.repeat(90) }]))
  const updated = widget({ spec: { values } }, { labels: { app: 'x' } })
  const request = { ...SHAPE, live: undefined, updated, manager: 'me', time: NOW }
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 30; round++) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < 200; i++) trackUpdate(request)
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 200_000)
  }
  assert.ok(best < 100, `${best} us`)
})
