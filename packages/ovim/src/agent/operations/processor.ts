import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import {
  nanoseconds,
  type OperationResult,
  type OperationType,
  QUERY_TYPES,
  type QueryType,
  WireError,
  type WireOperation,
} from '../../wire/index.js'
import { ConfigError } from '../config/config.js'
import { type Execution, failureOf, persistently } from '../execution/execution.js'
import { OperationError } from '../execution/operation-error.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import type { Outbox } from '../records/outbox.js'
import type { OutboxMessage } from '../records/record.js'
import { type HandlerContext, type Outcome, type Plan, planOf } from './handlers.js'
import { Lanes, Slots } from './lanes.js'
import { RecentResults } from './recent-results.js'

/** An operation that has ended. */
export interface Finished {
  readonly operation: WireOperation
  readonly type: OperationType | QueryType | 'unknown'
  readonly target: Plan['target']
  readonly result: OperationResult
  readonly seconds: number
}

export interface ProcessorOptions {
  readonly context: HandlerContext
  readonly outbox: Pick<Outbox, 'find' | 'add' | 'resend' | 'recall'>
  readonly clock: Clock
  readonly log: Logger
  readonly concurrency: () => number
  readonly queueSize: () => number
  /** The time limit of operations that have none. */
  readonly timeoutMs: () => number
  /** Tells the hub that an operation still runs. Failures do not matter. */
  readonly sendProgress: (result: OperationResult, signal: AbortSignal) => Promise<void>
  readonly onFinished: (finished: Finished) => void
}

/** The hub hears of an operation that takes long after this time, and then again each time. */
const PROGRESS_MS = 15_000
/** How long `stop` waits for operations in progress. The hub delivers the others again. */
const STOP_LIMIT_MS = 30_000
const MAX_ERROR_LENGTH = 4_000

/**
 * Executes operations: validates, routes, executes and reports each. Delivery is at least once: an operation that was
 * executed before is only reported again. Operations on one machine keep their order, others run in parallel.
 */
export class OperationProcessor implements Component {
  readonly name = 'operation-processor'
  readonly critical = true
  readonly #options: ProcessorOptions
  readonly #lanes = new Lanes()
  readonly #slots: Slots
  readonly #recent = new RecentResults()
  readonly #inFlight = new Map<string, Promise<void>>()
  /** Ends executions when the agent stops. */
  readonly #cancels = new Set<() => void>()
  #isCancelled = false

  constructor(options: ProcessorOptions) {
    this.#options = options
    this.#slots = new Slots(options.concurrency)
  }

  async start(): Promise<void> {
    this.#isCancelled = false
  }

  /** Finishes what is in progress; cancels what takes too long. */
  async stop(): Promise<void> {
    const cancelAll = () => {
      this.#isCancelled = true
      for (const cancel of this.#cancels) cancel()
    }
    const cancelLimit = this.#options.clock.after(STOP_LIMIT_MS, cancelAll)
    await Promise.allSettled(this.#inFlight.values())
    cancelLimit()
    this.#isCancelled = true
  }

  health(): ComponentHealth {
    return this.#recent.isFailing
      ? {
          status: 'warning',
          message: `only ${Math.round(this.#recent.successRatio * 100)} % of recent operations completed`,
        }
      : HEALTHY
  }

  /** Received operations that have not ended. */
  get depth(): number {
    return this.#inFlight.size
  }

  get isFull(): boolean {
    return this.#inFlight.size >= this.#options.queueSize()
  }

  get successRatio(): number {
    return this.#recent.successRatio
  }

  /** The ids of operations in progress. */
  get running(): string[] {
    return [...this.#inFlight.keys()]
  }

  /** Takes an operation. Resolves when it has ended; the same at once for one that is known. */
  accept(operation: WireOperation): Promise<void> {
    const { id } = operation
    const { outbox, log } = this.#options
    const known = this.#inFlight.get(id)
    if (known !== undefined) return known
    if (outbox.find(id) !== undefined) {
      log.info('operation was executed before: its result is sent again', { operation: id })
      outbox.resend(id)
      return Promise.resolve()
    }
    const ended = this.#process(operation).finally(() => this.#inFlight.delete(id))
    this.#inFlight.set(id, ended)
    return ended
  }

  async #process(operation: WireOperation): Promise<void> {
    const { clock, context } = this.#options
    const received = clock.elapsed()
    let plan: Plan
    try {
      plan = planOf(operation, context)
    } catch (error) {
      await this.#finish(operation, undefined, received, invalid(error))
      return
    }
    const ending = new AbortController()
    const limitMs = (operation.timeout_seconds ?? 0) * 1_000 || this.#options.timeoutMs()
    const end = () => ending.abort()
    const cancelLimit = clock.after(limitMs, end)
    this.#cancels.add(end)
    try {
      await this.#lanes.run(plan.scope, () =>
        this.#slots.run(() => this.#execute(operation, plan, ending.signal, limitMs)),
      )
    } finally {
      cancelLimit()
      this.#cancels.delete(end)
    }
  }

  async #execute(operation: WireOperation, plan: Plan, signal: AbortSignal, limitMs: number): Promise<void> {
    const { clock } = this.#options
    const started = clock.elapsed()
    let waitingFor = 'operations before it'
    const stopProgress = this.#reportProgress(operation, started, signal)
    const execution: Execution = {
      operationId: operation.id,
      signal,
      clock,
      waitsFor: (what) => {
        waitingFor = what
      },
    }
    let outcome: Outcome | OperationError
    try {
      signal.throwIfAborted()
      if (await this.#wasExecuted(operation, execution)) return
      outcome = await plan.run(execution)
    } catch (error) {
      // The hub delivers it again to the next agent.
      if (this.#isCancelled) return
      const message = `not finished within ${limitMs / 1_000} s: ${waitingFor}`
      outcome = signal.aborted ? new OperationError('DeadlineExceeded', message) : failureOf(configFailure(error))
    } finally {
      stopProgress()
    }
    await this.#finish(operation, plan, started, outcome)
  }

  /** An operation that is delivered for the first time was never executed. */
  async #wasExecuted({ id, retry_count = 0 }: WireOperation, execution: Execution): Promise<boolean> {
    if (retry_count === 0) return false
    const { outbox } = this.#options
    return persistently(
      execution,
      'the records of executed operations cannot be read',
      () => outbox.recall(id, execution.signal),
      () => true,
    )
  }

  /** A result that was not recorded before a crash is recorded by the repetition, which finds everything done. */
  async #finish(
    operation: WireOperation,
    plan: Plan | undefined,
    started: number,
    outcome: Outcome | OperationError,
  ): Promise<void> {
    const { clock, outbox, onFinished } = this.#options
    const milliseconds = clock.elapsed() - started
    const result: OperationResult = {
      operation_id: operation.id,
      ...(outcome instanceof OperationError ? failedPart(outcome) : { status: 'completed', result: outcome.result }),
      timestamp: clock.now().toISOString(),
      duration: nanoseconds(milliseconds),
    }
    const target = plan?.target ?? { kind: '', name: '' }
    const more = outcome instanceof OperationError ? [] : (outcome.messages ?? [])
    const messages: OutboxMessage[] = [...more, { kind: 'result', body: result }]
    const isQuery = (QUERY_TYPES as readonly string[]).includes(plan?.type ?? '')
    const record = {
      operationId: operation.id,
      type: operation.type,
      target: target.namespace === undefined ? target.name : `${target.namespace}/${target.name}`,
      finishedAt: result.timestamp,
      messages,
      reported: false,
    }
    await outbox.add(record, { isDurable: !isQuery })
    this.#recent.add(result.status === 'completed')
    onFinished({ operation, type: plan?.type ?? 'unknown', target, result, seconds: milliseconds / 1_000 })
  }

  #reportProgress(operation: WireOperation, started: number, signal: AbortSignal): () => void {
    const { clock, sendProgress, log } = this.#options
    let cancel = (): void => undefined
    const schedule = () => {
      cancel = clock.after(PROGRESS_MS, () => {
        const result: OperationResult = {
          operation_id: operation.id,
          status: 'running',
          timestamp: clock.now().toISOString(),
          duration: nanoseconds(clock.elapsed() - started),
        }
        sendProgress(result, signal).catch((error: unknown) => log.debug('progress not reported', { error }))
        schedule()
      })
    }
    schedule()
    return () => cancel()
  }
}

function failedPart({ reason, message }: OperationError): Pick<OperationResult, 'status' | 'error' | 'result'> {
  return { status: 'failed', error: message.slice(0, MAX_ERROR_LENGTH), result: { reason } }
}

function invalid(error: unknown): OperationError {
  if (error instanceof WireError) return new OperationError('InvalidPayload', error.message, { cause: error })
  return failureOf(error)
}

function configFailure(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error
  return new OperationError('InvalidPayload', error.problems.join('; '), { cause: error })
}
