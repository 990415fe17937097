import type { ObjectRef, ResourceType } from '@orrery/kinds'
import type { KubeClient } from '../client/client.js'
import type { Clock } from '../clock.js'
import type { Informer } from '../informer/types.js'
import type { Logger } from '../log.js'
import type { Backoff } from './backoff.js'
import type { Urgency } from './ready-list.js'

/** When to reconcile again without a change. */
export type Requeue = { readonly at: Date } | { readonly afterMilliseconds: number }

/** Enqueues an object. */
export type Enqueue = (ref: ObjectRef, urgency: Urgency) => void

/** Context of a reconcile. */
export interface ReconcileContext {
  /** Its field manager is the name of the controller, unless the client of the group has one. */
  readonly client: KubeClient
  readonly clock: Clock
  /** With the fields of the controller and the object. */
  readonly log: Logger
  /** Aborted when the controller stops. */
  readonly signal: AbortSignal
}

/** A source of reconciles: the changes of an informer, mapped to the objects to reconcile. */
export interface Wake {
  readonly informer: Informer
  /** The kind of the enqueued objects, if it is known. */
  readonly target?: ResourceType | undefined
  /** Starts to enqueue. Returns a function that stops it. */
  start(enqueue: Enqueue): () => void
  /** Enqueues everything again. */
  resync(enqueue: Enqueue): void
}

/**
 * A controller: what wakes it, and how it reconciles one object. It keeps no state: everything it knows is in the
 * API.
 */
export interface ControllerSpec {
  /** Its name in logs and metrics, and the field manager of its writes. */
  readonly name: string
  readonly wakes: readonly Wake[]
  /** Brings one object to its desired state. A failure is logged and retried with backoff. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a body that falls off its end is the usual one.
  reconcile(ref: ObjectRef, context: ReconcileContext): Promise<Requeue | undefined | void>
  /**
   * The number of concurrent reconciles, never two for one object. With two or more, one is kept for flows that have none in
   * progress. Default 1.
   */
  readonly concurrency?: number
  /**
   * The flow of an object. Flows take turns, so that one with many objects does not delay the others. Default: the namespace;
   * cluster-scoped objects share one flow.
   */
  readonly flowOf?: (ref: ObjectRef) => string
  /** How often to reconcile everything again, after all fresh objects. Default never. */
  readonly resyncMilliseconds?: number
  /** The backoff after failures. Default from 5 ms to 1,000 s. */
  readonly backoff?: Backoff
}
