import type { ObjectRef } from '@orrery/kinds'
import { isConflict, keyOf, refOf, resourceName, StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import type { MetricRegistry } from '../metrics/registry.js'
import { type ControllerGauges, type ControllerMetrics, controllerMetrics } from './controller-metrics.js'
import type { ControllerHealth } from './health.js'
import { ObjectLog } from './object-log.js'
import { notAtOnce } from './requeue.js'
import { type Run, Runs } from './runs.js'
import type { ControllerSpec, Enqueue, ReconcileContext, Requeue } from './types.js'
import { type Work, WorkQueue } from './workqueue.js'

/** Shared by the controllers of a process. */
export interface ControllerEnvironment {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry | undefined
  readonly slowMilliseconds: number
  readonly behindMilliseconds: number
  readonly stopMilliseconds: number
}

/** How long controllers run before they yield to the event loop. */
const SLICE_MILLISECONDS = 10
/** Conflicts are normal when the cache is stale. This many in a row are not. */
const EXPECTED_CONFLICTS = 8
/** A longer Retry-After is ignored. */
const MAX_ASKED_WAIT = 300_000
const LATE_SYNC_MILLISECONDS = 30_000
const MAX_KEYS_LOGGED = 10

/**
 * Runs one controller from the sync of its informers until it is stopped. A reconcile never starts within the event
 * that wakes it, so that it sees all changes that arrived together.
 */
export class Controller {
  readonly #spec: ControllerSpec
  readonly #environment: ControllerEnvironment
  readonly #client: KubeClient
  readonly #log: Logger
  readonly #kind: string | undefined
  readonly #concurrency: number
  readonly #metrics: ControllerMetrics
  readonly #queue: WorkQueue
  readonly #runs: Runs
  readonly #stopping = new AbortController()
  readonly #releases: (() => void)[] = []
  #state: 'waiting' | 'running' | 'failed' | 'stopped' = 'waiting'
  #lastError: ControllerHealth['lastError']
  #stopped: Promise<void> | undefined
  #turnAsked = false
  #sliceEnd = 0

  constructor(spec: ControllerSpec, environment: ControllerEnvironment) {
    const { clock, metrics, log } = environment
    this.#spec = spec
    this.#environment = environment
    this.#client = environment.client.withFieldManager(spec.name)
    this.#log = log.child(spec.name)
    this.#kind = spec.wakes.find(({ target }) => target !== undefined)?.target?.kind
    this.#concurrency = spec.concurrency ?? 1
    this.#metrics = controllerMetrics(spec.name, metrics)
    const { adds, retries } = this.#metrics
    const { flowOf } = spec
    this.#queue = new WorkQueue({
      clock,
      backoff: spec.backoff,
      concurrency: this.#concurrency,
      flowOf: flowOf && ((key) => flowOf(refOf(key))),
      onReady: () => this.#askForTurn(),
      onAdd: () => adds.add(),
      onDelay: () => retries.add(),
    })
    this.#runs = new Runs(clock, environment.slowMilliseconds)
  }

  /** Resolves with whether it runs and was not stopped meanwhile; rejects if an informer will never sync. */
  async start(): Promise<boolean> {
    const { signal } = this.#stopping
    const late = this.#environment.clock.after(LATE_SYNC_MILLISECONDS, () =>
      this.#log.warn('controller is still waiting for informers', { waitingFor: this.#waitingFor() }),
    )
    try {
      await Promise.all(this.#spec.wakes.map(({ informer }) => informer.whenSynced(signal)))
    } catch (error) {
      if (signal.aborted) return false
      this.#state = 'failed'
      this.#log.error('controller cannot start', { error })
      throw error
    } finally {
      late()
    }
    if (signal.aborted) return false
    this.#state = 'running'
    this.#releases.push(this.#metrics.showGauges(this.#concurrency, () => this.#gauges()))
    for (const wake of this.#spec.wakes) this.#releases.push(wake.start(this.#enqueue))
    if (this.#spec.resyncMilliseconds !== undefined) this.#resyncAfter(this.#spec.resyncMilliseconds)
    this.#log.debug('controller started', { objects: this.#queue.ready })
    return true
  }

  /** Takes nothing more, aborts the reconciles in progress, and waits for them up to a limit. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  get health(): ControllerHealth {
    const queue = this.#queue
    const waitedMilliseconds = queue.waitedMilliseconds
    return {
      name: this.#spec.name,
      state: this.#state,
      waitingFor: this.#state === 'waiting' ? this.#waitingFor() : [],
      isBehind: waitedMilliseconds > this.#environment.behindMilliseconds,
      waitedMilliseconds,
      ready: queue.ready,
      waiting: queue.waiting,
      running: queue.running,
      failing: queue.failing,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    }
  }

  async #stop(): Promise<void> {
    this.#state = 'stopped'
    for (const release of this.#releases) release()
    this.#queue.close()
    this.#stopping.abort()
    this.#runs.abort()
    const ended = await this.#runs.whenEmpty(this.#environment.stopMilliseconds)
    this.#runs.close()
    if (ended) return
    const running = this.#runs.size
    this.#log.warn('reconciles did not end in time', { running, objects: this.#runs.keys(MAX_KEYS_LOGGED) })
  }

  readonly #enqueue: Enqueue = (ref, urgency) => this.#queue.add(keyOf(ref), urgency)

  #resyncAfter(milliseconds: number): void {
    let cancel: () => void
    const wait = () => {
      cancel = this.#environment.clock.after(milliseconds, () => {
        this.#resync()
        wait()
      })
    }
    wait()
    this.#releases.push(() => cancel())
  }

  #resync(): void {
    for (const wake of this.#spec.wakes) {
      try {
        wake.resync(this.#enqueue)
      } catch (error) {
        this.#log.error('resync failed', { resource: resourceName(wake.informer.kind), error })
      }
    }
  }

  #askForTurn(): void {
    if (this.#turnAsked) return
    this.#turnAsked = true
    setImmediate(() => {
      this.#turnAsked = false
      this.#sliceEnd = this.#environment.clock.elapsed() + SLICE_MILLISECONDS
      this.#fill()
    })
  }

  /** Starts reconciles up to the concurrency. */
  #fill(): void {
    while (this.#queue.mayTake) {
      if (this.#environment.clock.elapsed() > this.#sliceEnd) {
        this.#askForTurn()
        return
      }
      const work = this.#queue.take()
      if (work === undefined) return
      void this.#run(work)
    }
  }

  /** Never rejects: anything that a reconcile throws is a failure to retry. */
  async #run(work: Work): Promise<void> {
    const { clock } = this.#environment
    const ref = refOf(work.key)
    const log = new ObjectLog(this.#log, this.#kind === undefined ? { ...ref } : { kind: this.#kind, ...ref })
    this.#metrics.queueDuration.observe(work.waitedMilliseconds / 1000)
    const run = this.#runs.begin(work.key, work.attempt, log)
    let again: Requeue | undefined
    let failure: { readonly error: unknown } | undefined
    try {
      const requeue = await this.#spec.reconcile(ref, this.#contextOf(run))
      if (requeue !== undefined) again = notAtOnce(requeue, clock.now())
    } catch (error) {
      failure = { error }
    }
    const seconds = this.#runs.end(run) / 1000
    this.#metrics.reconcileTime.observe(seconds)
    this.#metrics.workDuration.observe(seconds)
    if (failure === undefined) this.#succeeded(work, again)
    else this.#failed(work, ref, log, failure.error)
    this.#fill()
  }

  #contextOf(run: Run): ReconcileContext {
    const { clock } = this.#environment
    const runs = this.#runs
    return {
      client: this.#client,
      clock,
      log: run.log,
      get signal() {
        return runs.signalOf(run)
      },
    }
  }

  #succeeded(work: Work, again: Requeue | undefined): void {
    this.#metrics.results[again === undefined ? 'success' : 'requeue_after'].add()
    this.#queue.succeed(work.key, again)
  }

  #failed(work: Work, ref: ObjectRef, log: Logger, error: unknown): void {
    const wait = this.#queue.fail(work.key, askedToWait(error))
    if (this.#stopping.signal.aborted) {
      log.debug('reconcile was aborted by a stop', { error })
      return
    }
    this.#metrics.errors.add()
    this.#metrics.results.error.add()
    const now = this.#environment.clock.now()
    const fields = { attempt: work.attempt, nextTry: new Date(now.getTime() + wait), error }
    if (isConflict(error) && work.attempt <= EXPECTED_CONFLICTS) {
      log.debug('reconcile had a conflict', fields)
      return
    }
    this.#lastError = { at: now, ref, message: messageOf(error) }
    log.warn('reconcile failed', fields)
  }

  #waitingFor(): string[] {
    const late = this.#spec.wakes.filter(({ informer }) => !informer.synced)
    return [...new Set(late.map(({ informer }) => resourceName(informer.kind)))]
  }

  #gauges(): ControllerGauges {
    const { longest, total } = this.#runs.elapsedMilliseconds()
    return {
      depth: { fresh: this.#queue.depth('fresh'), resync: this.#queue.depth('resync') },
      activeWorkers: this.#runs.size,
      unfinishedSeconds: total / 1000,
      maxRunSeconds: longest / 1000,
    }
  }
}

/** The delay that a server asks for. */
function askedToWait(error: unknown): number {
  const seconds = error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined
  return typeof seconds === 'number' ? Math.min(seconds * 1000, MAX_ASKED_WAIT) : 0
}

/** Anything can be thrown, even a value that has no string form. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  return typeof error === 'string' ? error : `a value of type ${typeof error} was thrown`
}
