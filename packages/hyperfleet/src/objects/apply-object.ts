import type { ApiObject, KubeObject } from '@orrery/kinds'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { pause } from '@orrery/kube/process'
import { AdapterError } from '../adapter-error.js'
import { GENERATION_ANNOTATION } from '../works/apply-work.js'
import type { ObjectClient } from './object-client.js'

/** How long an object that is created again may take to be deleted, and how often it is read meanwhile. */
const DELETION_MS = 30_000
const CHECK_MS = 200

export interface ApplyObjectContext {
  readonly objects: ObjectClient
  readonly signal: AbortSignal
  /** Delete the object and create it again if the generation changed. */
  readonly recreateOnChange: boolean
  readonly clock?: Clock
}

export interface AppliedObject {
  readonly operation: 'create' | 'update' | 'recreate' | 'skip'
  readonly object: ApiObject
}

/** Creates an object, or updates it if its generation annotation differs. */
export async function applyObject(wanted: KubeObject, context: ApplyObjectContext): Promise<AppliedObject> {
  const { objects, signal, recreateOnChange } = context
  const { name = '', namespace } = wanted.metadata
  const existing = await objects.find(wanted, { name, namespace }, { signal })
  if (existing === undefined) {
    return { operation: 'create', object: await objects.apply(wanted, undefined, { signal }) }
  }
  if (generationOf(existing) === generationOf(wanted)) return { operation: 'skip', object: existing }
  if (!recreateOnChange) {
    return { operation: 'update', object: await objects.apply(wanted, existing, { signal }) }
  }
  await objects.delete(existing, { propagationPolicy: 'Background', signal })
  await waitUntilGone(existing, context)
  return { operation: 'recreate', object: await objects.apply(wanted, undefined, { signal }) }
}

const generationOf = ({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
}) => metadata.annotations?.[GENERATION_ANNOTATION]

/** An object with finalizers stays after the request to delete it. */
async function waitUntilGone(object: ApiObject, { objects, signal, clock = systemClock }: ApplyObjectContext) {
  const { name, namespace, uid } = object.metadata
  const end = clock.elapsed() + DELETION_MS
  for (;;) {
    const current = await objects.find(object, { name, namespace }, { signal })
    if (current === undefined || current.metadata.uid !== uid) return
    if (clock.elapsed() >= end) throw stillThere(current)
    await pause(clock, CHECK_MS, signal)
    signal.throwIfAborted()
  }
}

function stillThere({ kind, metadata }: ApiObject): AdapterError {
  const { name, namespace, finalizers = [] } = metadata
  const what = `${kind} ${JSON.stringify(namespace === undefined ? name : `${namespace}/${name}`)}`
  const why = finalizers.length === 0 ? '' : `: it has the finalizers ${finalizers.join(', ')}`
  return new AdapterError(
    'Kubernetes',
    `${what} still exists ${DELETION_MS / 1_000} seconds after it was deleted${why}. The next event creates it again.`,
  )
}
