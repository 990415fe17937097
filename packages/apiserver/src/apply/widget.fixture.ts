import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '@orrery/kinds/tables'
import { type ApplyRequest, applyPatch } from './apply.js'
import { type TrackRequest, trackUpdate } from './track.js'

export const STRING: ScalarSchema = { type: 'string' }
export const INTEGER: ScalarSchema = { type: 'int32' }

type FieldOptions = Partial<Omit<Field, 'name' | 'schema'>>

export function struct(
  fields: Record<string, Schema | [Schema, FieldOptions]>,
  options: Partial<StructSchema> = {},
): StructSchema {
  const map = new Map<string, Field>()
  for (const [name, value] of Object.entries(fields)) {
    const [schema, extra] = Array.isArray(value) ? value : [value, {}]
    map.set(name, { name, schema, required: false, ...extra })
  }
  return { type: 'struct', fields: map, preserveUnknown: false, atomic: false, embedded: false, ...options }
}

function mapOf(values: Schema, atomic = false): MapSchema {
  return { type: 'map', values, atomic }
}

export function listOf(items: Schema, topology: ListSchema['topology'] = 'atomic', keys: string[] = []): ListSchema {
  return { type: 'list', items, topology, keys }
}

const metadata = struct({
  name: STRING,
  namespace: STRING,
  uid: STRING,
  resourceVersion: STRING,
  labels: mapOf(STRING),
  annotations: mapOf(STRING),
  finalizers: listOf(STRING, 'set'),
  managedFields: listOf({ type: 'any' }),
})

const port = struct({
  port: [INTEGER, { required: true, default: 0 }],
  protocol: [STRING, { default: 'TCP' }],
  name: STRING,
})

/** A kind with an example of each type that apply handles differently. */
export const WIDGET: StructSchema = struct({
  apiVersion: STRING,
  kind: STRING,
  metadata: [metadata, { default: {} }],
  spec: [
    struct({
      replicas: INTEGER,
      note: STRING,
      paused: { type: 'boolean' },
      size: { type: 'quantity' },
      ports: listOf(port, 'map', ['port', 'protocol']),
      parts: [
        listOf(struct({ name: STRING, image: STRING, args: listOf(STRING), env: mapOf(STRING) }), 'map', ['name']),
        { required: true },
      ],
      tags: listOf(STRING, 'set'),
      order: listOf(STRING),
      selector: mapOf(STRING, true),
      nested: struct({ a: STRING, b: STRING, deeper: struct({ c: STRING }) }),
      values: mapOf(struct({ x: INTEGER, y: STRING })),
      raw: { type: 'any' },
    }),
    { default: {} },
  ],
  status: [struct({ ready: INTEGER, phase: STRING }), { default: {} }],
})

export const VERSION = 'test.io/v1'
export const THEN = '2024-01-01T00:00:00Z'
export const NOW = '2024-06-01T00:00:00Z'

export const SHAPE = { apiVersion: VERSION, kind: 'Widget', schema: WIDGET, custom: true, subresource: '' }

export function widget(parts: JsonObject = {}, meta: JsonObject = {}): KubeObject {
  return { apiVersion: VERSION, kind: 'Widget', metadata: { name: 'w', ...meta }, ...parts } as KubeObject
}

/** Returns the stored object after an ordinary create of a widget. */
export function created(manager: string, parts: JsonObject, meta: JsonObject = {}, time = THEN): KubeObject {
  return tracked(undefined, widget(parts, { uid: 'u', ...meta }), manager, { time })
}

/** Returns the stored object after an ordinary write. */
export function tracked(
  live: KubeObject | undefined,
  updated: KubeObject,
  manager: string,
  options: Partial<TrackRequest> = {},
): KubeObject {
  const managedFields = trackUpdate({ ...SHAPE, live, updated, manager, time: NOW, ...options })
  const { managedFields: _, ...rest } = updated.metadata
  return { ...updated, metadata: managedFields === undefined ? rest : { ...rest, managedFields } }
}

/** Returns the stored object after an apply. */
export function applied(
  live: KubeObject | undefined,
  config: JsonValue | KubeObject,
  manager: string,
  options: Partial<ApplyRequest> = {},
): KubeObject {
  const request = { ...SHAPE, live, config: config as JsonValue, manager, force: false, time: NOW }
  const object = applyPatch({ ...request, ...options })
  return live === undefined ? { ...object, metadata: { ...object.metadata, uid: 'u' } } : object
}

/** Returns the owned fields by manager name, for readable assertions. */
export function ownership(object: KubeObject): Record<string, JsonObject | undefined> {
  return Object.fromEntries((object.metadata.managedFields ?? []).map((entry) => [entry.manager, entry.fieldsV1]))
}

/** Returns an object without its managed fields. */
export function content(object: KubeObject): KubeObject {
  const { managedFields: _, ...rest } = object.metadata
  return { ...object, metadata: rest }
}
