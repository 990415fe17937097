import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import { conform } from '../schema/conform.js'
import { fillAlways, isOmitted } from '../schema/presence.js'
import { autoscalerToV1, autoscalerToV2 } from './convert-autoscaler.js'

/** Fields of an Event with different names in the two groups: core/v1 first, events.k8s.io/v1 second. */
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
 * Converts a built-in object to another group version of the same resource. Returns the object itself if it has that
 * version; otherwise a new object that shares its parts.
 */
export function convert(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object
  if (object.kind === 'Event' && object.apiVersion === 'v1' && apiVersion === 'events.k8s.io/v1') {
    return convertEvent(object, apiVersion, toEvents, kindSchema('events.k8s.io', 'v1', 'Event') as StructSchema)
  }
  if (object.kind === 'Event' && object.apiVersion === 'events.k8s.io/v1' && apiVersion === 'v1') {
    return convertEvent(object, apiVersion, toCore, kindSchema('', 'v1', 'Event') as StructSchema)
  }
  if (object.kind === 'HorizontalPodAutoscaler') {
    if (apiVersion === 'autoscaling/v1') return shaped(autoscalerToV1(object))
    if (apiVersion === 'autoscaling/v2') return shaped(autoscalerToV2(object))
  }
  throw new Error(`${object.kind} cannot be converted from ${object.apiVersion} to ${apiVersion}`)
}

/** Normalises the result of a conversion to the form of its version. */
function shaped(object: KubeObject): KubeObject {
  const [group = '', version = ''] = object.apiVersion.split('/')
  const schema = kindSchema(group, version, object.kind) as StructSchema
  return conform(object, schema).object as unknown as KubeObject
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
