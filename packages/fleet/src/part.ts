import type { Clock } from '@orrery/kube/clock'
import { markOf } from '@orrery/kube/process'
import { RestartBackoff } from './backoff.js'
import { HUB } from './directory.js'
import type { ClusterReport, JoinOrder, PartReport, Phase } from './messages.js'
import { type PartCommand, type PartEnd, PartProcess } from './part-process.js'
import { type PartState, phaseOfCluster } from './part-state.js'

export interface PartOptions {
  readonly name: string
  /** The log with the details. */
  readonly logFile: string
  /** The command of its process, called before each run. */
  readonly command: () => Promise<PartCommand>
  /** Waits for its turn to start; returns a function that ends the turn. */
  readonly turn: () => Promise<() => void>
  readonly onReport: (report: PartReport) => void
  readonly onChange: (state: PartState) => void
  readonly clock: Clock
}

/** A part that exits this often before it has ever started needs help. */
const HOPELESS_AFTER = 3

/** One part of the fleet, restarted whenever it exits, until it is stopped. */
export class Part {
  readonly name: string
  readonly #options: PartOptions
  readonly #backoff = new RestartBackoff()
  readonly #stop = new AbortController()
  #process: PartProcess | undefined
  #own: Phase = 'starting'
  /** The problem that the part reports. */
  #problem: string | undefined
  /** The problem with joining that the hub reports. */
  #obstacle: string | undefined
  #report: ClusterReport | undefined
  #state: PartState
  #hasStarted = false

  constructor(options: PartOptions) {
    this.#options = options
    this.name = options.name
    this.#state = { name: this.name, phase: 'starting', since: options.clock.now().toISOString(), restarts: 0 }
  }

  get state(): PartState {
    return this.#state
  }

  /** Runs the part until it is stopped. Rejects if it is the hub and cannot be started. */
  async keep(): Promise<void> {
    const { clock } = this.#options
    while (!this.#stop.signal.aborted) {
      const startedAt = clock.elapsed()
      const end = await this.#runOnce()
      if (this.#stop.signal.aborted) break
      const wait = this.#backoff.next(clock.elapsed() - startedAt)
      const cannotStart = !this.#hasStarted && this.#backoff.failures >= HOPELESS_AFTER
      // The fleet needs a hub. Clusters are independent of each other.
      if (cannotStart && this.name === HUB) throw new Error(`${this.name} cannot be started: ${this.#inWords(end)}`)
      this.#own = 'restarting'
      this.#change({
        phase: 'restarting',
        detail: `${this.#inWords(end)}; restarting in ${wait / 1000} s`,
        restarts: this.#state.restarts + 1,
        cannotStart,
      })
      await this.#pause(wait)
    }
    this.#own = 'stopped'
    this.#change({ phase: 'stopped' })
  }

  /** Tells the part that the hub can be joined. */
  join(order: JoinOrder): void {
    this.#process?.send(order)
  }

  /** Takes the hub's report on this cluster. */
  hear(report: ClusterReport): void {
    this.#report = report
    this.#settle()
  }

  /** Takes the hub's report on what keeps this cluster from joining. */
  meet(obstacle: string): void {
    this.#obstacle = obstacle
    this.#settle()
  }

  async stop(): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#stop.abort()
    this.#own = 'stopping'
    this.#change({ phase: 'stopping' })
    await this.#process?.stop()
  }

  kill(): void {
    this.#stop.abort()
    this.#process?.kill()
  }

  async #runOnce(): Promise<PartEnd> {
    const giveWay = await this.#options.turn()
    const command = await this.#options.command()
    if (this.#stop.signal.aborted) {
      giveWay()
      return { code: null, signal: null }
    }
    const process = new PartProcess(command, (report) => {
      if (report.type === 'serving') giveWay()
      this.#note(report)
    })
    this.#process = process
    this.#own = 'starting'
    this.#change({ phase: 'starting', ...(process.pid !== undefined && { process: markOf(process.pid) }) })
    const end = await process.ended
    giveWay()
    this.#process = undefined
    const { process: _, ...rest } = this.#state
    this.#state = rest
    return end
  }

  #note(report: PartReport): void {
    if (report.type === 'serving') {
      this.#state = { ...this.#state, url: report.url }
      this.#own = 'serving'
      this.#problem = undefined
    } else if (report.type === 'phase') {
      this.#own = report.phase
      this.#problem = report.detail
      if (report.phase === 'joined') this.#obstacle = undefined
      this.#hasStarted ||= report.phase === 'ready' || report.phase === 'joining'
      if (this.#hasStarted) this.#state = { ...this.#state, cannotStart: false }
    }
    if (report.type === 'serving' || report.type === 'phase') this.#settle()
    this.#options.onReport(report)
  }

  #settle(): void {
    if (this.#stop.signal.aborted) return
    const known = this.name === HUB ? { phase: this.#own } : phaseOfCluster(this.#own, this.#report)
    const detail = this.#problem ?? (this.#own === 'joining' ? this.#obstacle : undefined)
    this.#change({ ...(detail !== undefined && { detail }), ...known })
  }

  #change(change: Partial<PartState> & Pick<PartState, 'phase'>): void {
    const { detail: _, ...before } = this.#state
    const since = before.phase === change.phase ? before.since : this.#options.clock.now().toISOString()
    const next = { ...before, ...change, since }
    const isNews =
      next.phase !== this.#state.phase || next.detail !== this.#state.detail || next.url !== this.#state.url
    this.#state = next
    if (isNews || change.process !== undefined) this.#options.onChange(next)
  }

  #inWords({ code, signal, message }: PartEnd): string {
    if (message !== undefined) return message
    if (signal !== null) return `its process was killed by ${signal}`
    return `its process exited with code ${code}: see ${this.#options.logFile}`
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#stop.signal.addEventListener('abort', done, { once: true })
    })
  }
}
