import type { ApiObject, ObjectReference } from '@orrery/kinds'

/** Something worth telling whoever looks at an object. */
export interface NewEvent {
  /** What it happened to. */
  readonly regarding: ApiObject | ObjectReference
  /** Another object that has to do with it. */
  readonly related?: ApiObject | ObjectReference
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning'
  /** Why, in one word for machines: `Unavailable`. */
  readonly reason: string
  /** What was done, in one word for machines. Default the reason. */
  readonly action?: string
  /** What happened, for people. Cut off at 1,024 bytes. */
  readonly note: string
}

/** A happening with everything that the server wants to know, whichever form of event it becomes. */
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

/** How often a happening came up, and when last. */
export interface Series {
  readonly count: number
  readonly last: Date
}

/** A reference for an event. Without the version, so that the same thing happening again is seen to be the same. */
export function referenceOf(object: ApiObject | ObjectReference): ObjectReference {
  if (!('metadata' in object)) return object
  const { apiVersion, kind, metadata } = object
  const { namespace, name, uid } = metadata
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name, uid }
}

/** Equal for happenings that belong to one series, as client-go tells them apart: all but the note and the time. */
export function seriesKey(record: EventRecord): string {
  const { type, action, reason, regarding, related = {} } = record
  const objects = [objectKey(regarding), regarding.fieldPath, objectKey(related), related.fieldPath]
  return JSON.stringify([type, action, reason, ...objects])
}

/** Equal for the same object. */
export function objectKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid])
}
