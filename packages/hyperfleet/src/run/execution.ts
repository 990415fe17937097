import type { AdapterConfig } from '../config/adapter-config.js'
import { redacted } from '../config/adapter-config.js'
import type { AdapterEvent } from './event.js'

export type Phase = 'param_extraction' | 'preconditions' | 'resources' | 'post_actions'

/** A failure with its place. */
export interface StepError {
  readonly phase: Phase
  readonly step: string
  readonly message: string
}

export type StepStatus = 'success' | 'failed' | 'skipped'

export interface PreconditionResult {
  readonly name: string
  readonly status: StepStatus
  readonly matched: boolean
  readonly error?: string
}

export interface ResourceResult {
  readonly name: string
  readonly kind: string
  readonly namespace: string
  readonly resourceName: string
  readonly status: StepStatus
  readonly operation: 'create' | 'update' | 'recreate' | 'skip' | 'delete'
  readonly reason: string
  readonly error?: string
  /** The object before it was deleted. */
  readonly discoveredState?: unknown
}

export interface PostActionResult {
  readonly name: string
  readonly status: StepStatus
  readonly skipped: boolean
  readonly reason?: string
  readonly error?: string
}

/** The result of one event. */
export interface ExecutionResult {
  readonly status: 'success' | 'failed'
  /** Whether resources were left as they are, and why. */
  readonly skipReason: string | undefined
  readonly params: Readonly<Record<string, unknown>>
  readonly preconditions: readonly PreconditionResult[]
  readonly resources: readonly ResourceResult[]
  /** Objects by name, as expressions see them in `resources`. */
  readonly discovered: Readonly<Record<string, unknown>>
  readonly postActions: readonly PostActionResult[]
  readonly errors: Readonly<Partial<Record<Phase, string>>>
}

/** What is known while an event is handled. Phases add to it. */
export class Execution {
  /** The data of templates. */
  readonly params: Record<string, unknown>
  readonly resources: Record<string, unknown> = {}
  readonly errors: Partial<Record<Phase, string>> = {}
  readonly resourceErrors: Record<string, StepError> = {}
  skipReason: string | undefined
  #firstError: StepError | undefined
  #errorReason = ''

  constructor(event: AdapterEvent, config: AdapterConfig, environment: Readonly<Record<string, string | undefined>>) {
    this.params = {
      adapter: config.adapter,
      config: redacted(config.raw),
      env: Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)),
      event: event.data,
    }
  }

  get failed(): boolean {
    return Object.keys(this.errors).length > 0
  }

  /** Notes a failed phase. The first failed step is the one that is reported. */
  fail(reason: string, error: StepError): void {
    this.errors[error.phase] ??= error.message
    this.#firstError ??= error
    this.#errorReason ||= reason
  }

  /** The variables of expressions: parameters, the state of the adapter, and objects that exist. */
  get variables(): Readonly<Record<string, unknown>> {
    const adapter = {
      ...(this.params.adapter as object),
      executionStatus: this.failed ? 'failed' : 'success',
      resourcesSkipped: this.skipReason !== undefined,
      skipReason: this.skipReason ?? '',
      errorReason: this.#errorReason,
      errorMessage: this.#firstError?.message ?? '',
      executionError: this.#firstError ?? null,
      resourceErrors: this.resourceErrors,
    }
    return { ...this.params, adapter, resources: this.resources }
  }
}
