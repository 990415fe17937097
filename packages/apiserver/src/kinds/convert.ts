import type { JsonObject, JsonValue, KubeObject } from '@orrery/kube'
import { fillAlways, isOmitted } from '../schema/presence.js'
import type { StructSchema } from '../schema/schema.js'
import { kindSchema } from './builtin.js'

/** Fields of an Event that have another name in the other group: core/v1 first, events.k8s.io/v1 second. */
const EVENT_FIELDS: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

const toEvents = new Map(EVENT_FIELDS)
const toCore = new Map(EVENT_FIELDS.map(([core, events]) => [events, core]))

/**
 * A built-in object in another group version of the same resource. Gives back the object itself when it has that
 * version already; otherwise a new object that shares its parts.
 */
export function convert(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object
  if (object.kind === 'Event' && object.apiVersion === 'v1' && apiVersion === 'events.k8s.io/v1') {
    return convertEvent(object, apiVersion, toEvents, kindSchema('events.k8s.io', 'v1', 'Event') as StructSchema)
  }
  if (object.kind === 'Event' && object.apiVersion === 'events.k8s.io/v1' && apiVersion === 'v1') {
    return convertEvent(object, apiVersion, toCore, kindSchema('', 'v1', 'Event') as StructSchema)
  }
  throw new Error(`${object.kind} cannot be converted from ${object.apiVersion} to ${apiVersion}`)
}

function convertEvent(
  object: KubeObject,
  apiVersion: string,
  names: ReadonlyMap<string, string>,
  schema: StructSchema,
): KubeObject {
  const converted: JsonObject = {}
  for (const key of Object.keys(object)) {
    const field = schema.fields.get(names.get(key) ?? key)
    const value = object[key] as JsonValue
    if (field !== undefined && !isOmitted(field, value)) converted[field.name] = value
  }
  converted.apiVersion = apiVersion
  fillAlways(converted, schema)
  return converted as unknown as KubeObject
}
