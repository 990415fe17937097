import type { Clock } from '@orrery/kube/clock'
import { markOf } from '@orrery/kube/process'
import { RestartBackoff } from './backoff.js'
import { HUB } from './directory.js'
import type { ClusterReport, JoinOrder, PartReport, Phase } from './messages.js'
import { type PartCommand, type PartEnd, PartProcess } from './part-process.js'
import { type PartState, phaseOfCluster } from './part-state.js'

export interface PartOptions {
  readonly name: string
  /** Where it says more than can be told here. */
  readonly logFile: string
  /** How its process is started, asked for before each run. */
  readonly command: () => Promise<PartCommand>
  /** Waits until it may take the machine's time to start; returns how it gives way to others. */
  readonly turn: () => Promise<() => void>
  readonly onReport: (report: PartReport) => void
  readonly onChange: (state: PartState) => void
  readonly clock: Clock
}

/** A part that ends this often before it ever got that far will not do so by trying again. */
const HOPELESS_AFTER = 3

/** One part of the fleet, started again whenever it dies, until it is stopped. */
export class Part {
  readonly name: string
  readonly #options: PartOptions
  readonly #backoff = new RestartBackoff()
  readonly #stop = new AbortController()
  #process: PartProcess | undefined
  #own: Phase = 'starting'
  /** What keeps it where it is, as it says itself. */
  #problem: string | undefined
  /** What keeps it from joining, as the hub says. */
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

  /** Runs it until it is stopped. Rejects when it is the hub and cannot be started at all. */
  async keep(): Promise<void> {
    const { clock } = this.#options
    while (!this.#stop.signal.aborted) {
      const startedAt = clock.elapsed()
      const end = await this.#runOnce()
      if (this.#stop.signal.aborted) break
      const wait = this.#backoff.next(clock.elapsed() - startedAt)
      const cannotStart = !this.#hasStarted && this.#backoff.failures >= HOPELESS_AFTER
      // Nothing works without a hub. Clusters do without each other.
      if (cannotStart && this.name === HUB) throw new Error(`${this.name} cannot be started: ${this.#inWords(end)}`)
      this.#own = 'restarting'
      this.#change({
        phase: 'restarting',
        detail: `${this.#inWords(end)}; started again in ${wait / 1000} s`,
        restarts: this.#state.restarts + 1,
        cannotStart,
      })
      await this.#pause(wait)
    }
    this.#own = 'stopped'
    this.#change({ phase: 'stopped' })
  }

  /** Passes on that the hub can be joined. */
  join(order: JoinOrder): void {
    this.#process?.send(order)
  }

  /** Takes note of what the hub says about this cluster. */
  hear(report: ClusterReport): void {
    this.#report = report
    this.#settle()
  }

  /** Takes note of what the hub says keeps this cluster from joining. */
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
    if (signal !== null) return `its process was ended by ${signal}`
    return `its process ended with code ${code}, see ${this.#options.logFile}`
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
