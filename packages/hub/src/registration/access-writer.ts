import { WORK_FINALIZER } from '@orrery/api'
import {
  type ApiObject,
  type CallOptions,
  type Draft,
  getOwn,
  isBeingDeleted,
  type JsonObject,
  jsonEqual,
  type Kind,
  type KubeClient,
  refOfObject,
  removeFinalizer,
} from '@orrery/kube'

/** Whom the fields belong to that the hub applies. */
export const HUB_FIELD_MANAGER = 'orrery-hub'

/**
 * Makes an object what is wanted, unless what is known of it shows that it is so. One that is on its way out, or whose
 * `roleRef` is another, which cannot be changed, makes way for a new one.
 */
export async function makeTrue<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T>,
  known: T | undefined,
  wanted: Draft<T>,
  options: CallOptions,
): Promise<void> {
  if (known !== undefined && !isBeingDeleted(known) && holds(known, wanted)) return
  if (known !== undefined && (isBeingDeleted(known) || !sameMember(known, wanted, 'roleRef'))) {
    await takeAway(client, kind, known, options)
  }
  await client.apply(kind, wanted, { ...options, fieldManager: HUB_FIELD_MANAGER, force: true })
}

/** Deletes an object at once, though works may still be there that the agent needs it for. */
export async function takeAway<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T>,
  object: T,
  options: CallOptions,
): Promise<void> {
  await removeFinalizer(client, kind, object, WORK_FINALIZER, options)
  const { uid } = object.metadata
  await client.ensureDeleted(kind, refOfObject(object), { ...options, preconditions: { uid } })
}

/** Whether an object has all labels, annotations and finalizers that are wanted, and is otherwise as wanted. */
function holds(known: ApiObject, wanted: Draft<ApiObject>): boolean {
  const { metadata, ...rest } = wanted
  const { labels, annotations, finalizers = [] } = known.metadata
  return (
    hasAll(labels, metadata.labels) &&
    hasAll(annotations, metadata.annotations) &&
    (metadata.finalizers ?? []).every((finalizer) => finalizers.includes(finalizer)) &&
    Object.keys(rest).every((key) => sameMember(known, wanted, key))
  )
}

function hasAll(known: Record<string, string> = {}, wanted: Record<string, string> = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => getOwn(known, key) === value)
}

function sameMember(known: object, wanted: object, key: string): boolean {
  const [is, should] = [getOwn(known as JsonObject, key), getOwn(wanted as JsonObject, key)]
  // API servers return null for some empty lists.
  const isEmpty = Array.isArray(should) && should.length === 0 && (is ?? null) === null
  return isEmpty || jsonEqual(is, should)
}
