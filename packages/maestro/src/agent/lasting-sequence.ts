import type { SourceState } from '@orrery/agent'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { CodecError } from '../codec/codec-error.js'
import { compareSequence, SequenceGenerator } from '../codec/sequence.js'

/** IDs are reserved ahead for this time, so that few of them need a write. */
const RESERVED_MILLISECONDS = 10_000

export interface LastingSequenceOptions {
  /** Undefined: IDs can repeat after a restart with an earlier clock. */
  readonly state: SourceState | undefined
  /** The key of the last reserved ID. */
  readonly key: string
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Generates the sequence IDs of status events. They increase also when the agent starts again with an earlier clock: servers
 * ignore a status with an ID that is not greater than the last one. An ID is used when a greater one is stored.
 */
export class LastingSequence {
  readonly #options: LastingSequenceOptions
  readonly #generator: SequenceGenerator
  #reserved: string | undefined
  #loading: Promise<void> | undefined
  #reserving: Promise<void> = Promise.resolve()

  constructor(options: LastingSequenceOptions) {
    this.#options = options
    this.#generator = new SequenceGenerator(() => options.clock.now().getTime())
  }

  async next(): Promise<string> {
    const { state } = this.#options
    if (state === undefined) return this.#generator.next()
    this.#loading ??= this.#load(state)
    await this.#loading
    const id = this.#generator.next()
    // Renewed early, so that a status seldom waits for a write.
    const late = SequenceGenerator.after(id, RESERVED_MILLISECONDS / 2)
    if (!this.#isReserved(late)) this.#reserving = this.#reserving.then(() => this.#reserve(late, state))
    if (!this.#isReserved(id)) await this.#reserving
    return id
  }

  /** The IDs for another name of the cluster are continued as well. */
  async #load(state: SourceState): Promise<void> {
    try {
      for (const id of Object.values(await state.read())) this.#continueAfter(id)
    } catch (error) {
      this.#loading = undefined
      this.#options.log.warn('the last sequence ID could not be read', { error })
    }
  }

  #continueAfter(id: string): void {
    try {
      this.#generator.continueAfter(id)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.#options.log.warn('ignored a stored sequence ID', { error })
    }
  }

  #isReserved(id: string): boolean {
    return this.#reserved !== undefined && compareSequence(id, this.#reserved) < 0
  }

  /** If the write fails, the status is sent anyway: most clocks are never set back. */
  async #reserve(id: string, state: SourceState): Promise<void> {
    if (this.#isReserved(id)) return
    const { key, log } = this.#options
    const reserved = SequenceGenerator.after(id, RESERVED_MILLISECONDS)
    try {
      await state.write(key, reserved)
      this.#reserved = reserved
    } catch (error) {
      log.warn('the last sequence ID could not be stored', { error })
    }
  }
}
