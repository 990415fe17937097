import type { ApiObject, ObjectReference } from '@orrery/kinds'

/** An event about an object. */
export interface NewEvent {
  /** The object of the event. */
  readonly regarding: ApiObject | ObjectReference
  /** Another object that is related to it. */
  readonly related?: ApiObject | ObjectReference
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning'
  /** The reason, in CamelCase: `Unavailable`. */
  readonly reason: string
  /** The action that was taken, in CamelCase. Default: the reason. */
  readonly action?: string
  /** A description for people. Truncated at 1,024 bytes. */
  readonly note: string
}

/** An event with all its fields, independent of its API version. */
export interface EventRecord {
  readonly name: string
  readonly namespace: string
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly action: string
  readonly note: string
  readonly regarding: ObjectReference
  readonly related: ObjectReference | undefined
  readonly reportingController: string
  readonly reportingInstance: string
  readonly time: Date
}

/** The count of an event, and when it last occurred. */
export interface Series {
  readonly count: number
  readonly last: Date
}

/** A reference for an event. It has no resourceVersion, so that repetitions are recognized. */
export function referenceOf(object: ApiObject | ObjectReference): ObjectReference {
  if (!('metadata' in object)) return object
  const { apiVersion, kind, metadata } = object
  const { namespace, name, uid } = metadata
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid }
}

/** Equal for events of one series, as in client-go: all fields but the note and the time. */
export function seriesKey(record: EventRecord): string {
  const { type, action, reason, regarding, related = {} } = record
  const objects = [objectKey(regarding), regarding.fieldPath, objectKey(related), related.fieldPath]
  return JSON.stringify([type, action, reason, ...objects])
}

/** Equal for the same object. */
export function objectKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid])
}
