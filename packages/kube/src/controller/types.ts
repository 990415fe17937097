import type { ObjectRef, ResourceType } from '@orrery/kinds'
import type { KubeClient } from '../client/client.js'
import type { Clock } from '../clock.js'
import type { Informer } from '../informer/types.js'
import type { Logger } from '../log.js'
import type { Backoff } from './backoff.js'
import type { Urgency } from './workqueue.js'

/** When to look again, though nothing may have changed by then. */
export type Requeue = { readonly at: Date } | { readonly afterMilliseconds: number }

/** Asks for an object to be looked at. */
export type Enqueue = (ref: ObjectRef, urgency: Urgency) => void

/** What a controller's work on one object has at hand. */
export interface ReconcileContext {
  readonly client: KubeClient
  readonly clock: Clock
  /** Marked with the controller and the object. */
  readonly log: Logger
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal
}

/** Something that wakes a controller: the changes of an informer, mapped to what is to be looked at. */
export interface Wake {
  readonly informer: Informer
  /** The kind of what it hands out, where that is known. */
  readonly target?: ResourceType | undefined
  /** Starts handing out what to look at. Returns the way to stop. */
  start(enqueue: Enqueue): () => void
  /** Hands out everything there is once more. */
  resync(enqueue: Enqueue): void
}

/** Says what wakes it and makes one thing true. Never remembers: what it knows is in the API. */
export interface ControllerSpec {
  /** As it is called in logs and metrics. */
  readonly name: string
  readonly wakes: readonly Wake[]
  /** Makes true what should be true for one object. A failure is logged and tried again, later each time. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a body that falls off its end is the usual one.
  reconcile(ref: ObjectRef, context: ReconcileContext): Promise<Requeue | undefined | void>
  /** How many objects at the same time, never one object twice. Default 1. */
  readonly concurrency?: number
  /** Looks at everything again this often, after everything fresh. Default never. */
  readonly resyncMilliseconds?: number
  /** How long to wait after failures. Default from 5 ms to 1,000 s. */
  readonly backoff?: Backoff
}
