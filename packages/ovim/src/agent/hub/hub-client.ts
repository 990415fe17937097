import type { JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { type HttpResponse, retryAfter, type Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { pause, within } from '@orrery/kube/process'
import {
  AGENT_HEADERS,
  type OperationResult,
  readOperations,
  readTemplates,
  SPOKE_PATHS,
  type StatusReport,
  type TemplateRecord,
  type VdcDeletionMessage,
  type VdcStatusMessage,
  type WireOperation,
} from '../../wire/index.js'
import { type BreakerState, CircuitBreaker } from './breaker.js'
import { HubError } from './hub-error.js'
import { isRetried, type RetryPolicy, retryDelay } from './retry.js'

/** The endpoints of the hub. Each has a circuit breaker of its own. */
export const ENDPOINTS = ['status', 'operations', 'result', 'vdc', 'templates'] as const

export type Endpoint = (typeof ENDPOINTS)[number]

export interface HubClientOptions {
  /** Must not retry by itself. */
  readonly transport: Transport
  readonly agentId: string
  readonly clusterId: string
  readonly zoneId: string
  readonly version: string
  /** The time until a reply is complete. A long poll adds its wait. */
  readonly timeoutMs: () => number
  readonly retry: () => RetryPolicy
  readonly clock: Clock
  /** Default `Math.random`. */
  readonly random?: () => number
  /** Called for each attempt, with `ok` or the kind of failure. */
  readonly onAttempt?: (endpoint: Endpoint, outcome: string, seconds: number) => void
}

interface Call {
  readonly endpoint: Endpoint
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  /** Default the policy's. */
  readonly retries?: number
  readonly extraTimeMs?: number
}

/** The requests of an agent to its hub, repeated as the retry policy says. Failures are `HubError`s. */
export class HubClient {
  readonly #options: HubClientOptions
  readonly #breakers: Readonly<Record<Endpoint, CircuitBreaker>>
  readonly #random: () => number
  #lastContact: Date | undefined
  #lastFailure = ''

  constructor(options: HubClientOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
    const breakers = ENDPOINTS.map((endpoint) => [endpoint, new CircuitBreaker({ clock: options.clock })])
    this.#breakers = Object.fromEntries(breakers) as Record<Endpoint, CircuitBreaker>
  }

  /** When the hub last replied to a request. */
  get lastContact(): Date | undefined {
    return this.#lastContact
  }

  /** Why the last attempt failed; empty if it succeeded. */
  get lastFailure(): string {
    return this.#lastFailure
  }

  breakerOf(endpoint: Endpoint): { readonly state: BreakerState; readonly waitMs: number } {
    return this.#breakers[endpoint]
  }

  /** A late report is of no use: the next one replaces it, so it is repeated only once. */
  async reportStatus(report: StatusReport, signal: AbortSignal): Promise<void> {
    await this.#send({ endpoint: 'status', method: 'POST', path: SPOKE_PATHS.status, body: report, retries: 1 }, signal)
    for (const endpoint of ENDPOINTS) this.#breakers[endpoint].tryNow()
  }

  /** The operations for this agent. The hub may wait up to this many seconds for one. */
  async pollOperations(waitSeconds: number, signal: AbortSignal): Promise<WireOperation[]> {
    const query = new URLSearchParams({ agent_id: this.#options.agentId, wait: String(waitSeconds) })
    const path = `${SPOKE_PATHS.operations}?${query}`
    const extraTimeMs = waitSeconds * 1_000
    return readOperations(
      await this.#send({ endpoint: 'operations', method: 'GET', path, retries: 0, extraTimeMs }, signal),
    )
  }

  async sendResult(result: OperationResult, signal: AbortSignal): Promise<void> {
    const path = SPOKE_PATHS.result(result.operation_id)
    await this.#send({ endpoint: 'result', method: 'POST', path, body: result }, signal)
  }

  /** Progress: worth one attempt. */
  async sendProgress(result: OperationResult, signal: AbortSignal): Promise<void> {
    const path = SPOKE_PATHS.result(result.operation_id)
    await this.#send({ endpoint: 'result', method: 'POST', path, body: result, retries: 0 }, signal)
  }

  async sendVdcStatus(message: VdcStatusMessage, signal: AbortSignal): Promise<void> {
    await this.#send({ endpoint: 'vdc', method: 'POST', path: SPOKE_PATHS.vdcStatus, body: message }, signal)
  }

  async sendVdcDeletion(message: VdcDeletionMessage, signal: AbortSignal): Promise<void> {
    await this.#send({ endpoint: 'vdc', method: 'POST', path: SPOKE_PATHS.vdcDeletion, body: message }, signal)
  }

  async templates(signal: AbortSignal): Promise<TemplateRecord[]> {
    return readTemplates(
      await this.#send({ endpoint: 'templates', method: 'GET', path: SPOKE_PATHS.templates }, signal),
    )
  }

  close(): void {
    this.#options.transport.close?.()
  }

  async #send(call: Call, signal: AbortSignal): Promise<JsonValue> {
    const { clock } = this.#options
    const policy = this.#options.retry()
    const retries = call.retries ?? policy.retries
    for (let failures = 0; ; ) {
      try {
        return await this.#attempt(call, signal)
      } catch (error) {
        if (!(error instanceof HubError)) throw error
        const isWorthAnother = error.failure === 'unreachable' || error.failure === 'unavailable'
        if (failures >= retries || !isWorthAnother) throw error
        failures++
        await pause(clock, retryDelay(failures, policy, this.#random, error.retryAfterSeconds), signal)
        signal.throwIfAborted()
      }
    }
  }

  async #attempt(call: Call, signal: AbortSignal): Promise<JsonValue> {
    signal.throwIfAborted()
    const { clock, onAttempt } = this.#options
    const breaker = this.#breakers[call.endpoint]
    if (!breaker.admit()) {
      const seconds = Math.ceil(breaker.waitMs / 1_000)
      throw new HubError('circuit-open', `the hub failed repeatedly: the next attempt is in ${seconds} s`)
    }
    const started = clock.elapsed()
    const seconds = () => (clock.elapsed() - started) / 1_000
    try {
      const reply = await this.#exchange(call, signal)
      breaker.succeed()
      this.#lastFailure = ''
      this.#lastContact = clock.now()
      onAttempt?.(call.endpoint, 'ok', seconds())
      return reply
    } catch (error) {
      if (signal.aborted) {
        breaker.release()
        throw error
      }
      const failure = error instanceof HubError ? error : unreachable(error)
      // A hub that refuses a request works: only failures of the hub itself open the breaker.
      if (failure.failure === 'unreachable' || (failure.status ?? 0) >= 500) breaker.fail()
      else breaker.succeed()
      if (failure.status !== undefined) this.#lastContact = clock.now()
      this.#lastFailure = failure.message
      onAttempt?.(call.endpoint, failure.failure, seconds())
      throw failure
    }
  }

  async #exchange(call: Call, signal: AbortSignal): Promise<JsonValue> {
    const { transport, clock, timeoutMs, agentId, clusterId, zoneId, version } = this.#options
    return within(clock, timeoutMs() + (call.extraTimeMs ?? 0), signal, async (limited) => {
      const response = await transport.request({
        method: call.method,
        path: call.path,
        headers: {
          accept: 'application/json',
          [AGENT_HEADERS.agentId]: agentId,
          [AGENT_HEADERS.clusterId]: clusterId,
          [AGENT_HEADERS.zoneId]: zoneId,
          [AGENT_HEADERS.version]: version,
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
        },
        // The text is made for each attempt, so that a repetition has a whole body.
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        signal: limited,
      })
      const text = (await response.bytes()).toString('utf8')
      if (response.status >= 400) throw failureOf(call, response, text)
      return parsed(call, text)
    })
  }
}

function parsed(call: Call, text: string): JsonValue {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new HubError('unavailable', `the hub's reply to ${call.method} ${call.path} is not JSON`)
  }
}

function failureOf(call: Call, response: HttpResponse, text: string): HubError {
  const { status } = response
  const message = `the hub replied to ${call.method} ${call.path.split('?')[0]} with ${status}: ${messageIn(text)}`
  const details = { status, retryAfterSeconds: retryAfter(response) }
  if (status === 401 || status === 403) return new HubError('denied', message, details)
  return new HubError(isRetried(status) ? 'unavailable' : 'rejected', message, details)
}

const MAX_MESSAGE = 500

/** `{error}` of spoke endpoints, `detail` and `title` of RFC 9457, or the text of a proxy. */
function messageIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) {
      const found = [value.error, value.detail, value.message, value.title].find((part) => typeof part === 'string')
      if (found !== undefined) return String(found).slice(0, MAX_MESSAGE)
    }
  } catch {
    // Not JSON: the text itself is the best message there is.
  }
  return text.trim().slice(0, MAX_MESSAGE) || 'no message'
}

function unreachable(error: unknown): HubError {
  return new HubError('unreachable', `the hub is unreachable: ${(error as Error).message}`, { cause: error })
}
