import { availableParallelism } from 'node:os'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { claimFleet } from './claim.js'
import { type FleetDirectory, HUB } from './directory.js'
import { advertisedHost } from './hub-serving.js'
import { writeFleetKubeconfig } from './kubeconfig.js'
import { outlive } from './leftovers.js'
import type { PartReport } from './messages.js'
import { Part } from './part.js'
import type { PartCommand } from './part-process.js'
import { isHealthy, type PartState, problemOf } from './part-state.js'
import {
  ensurePlan,
  type FleetAddOns,
  type FleetParts,
  type FleetPlan,
  type HubSettings,
  movePart,
  type PartPlan,
} from './plan.js'
import { RunRecorder } from './run-record.js'
import { Semaphore } from './semaphore.js'

export interface FleetOptions {
  readonly directory: FleetDirectory
  /** The number of clusters. Default: the current one, and 2 in a new fleet. */
  readonly clusters?: number | undefined
  /** Settings of the hub. Default: the stored ones; in a new fleet a free port of the loopback address. */
  readonly hub?: HubSettings
  /** Add-ons to add to the fleet. Default none. */
  readonly addOns?: FleetAddOns
  /** What to add to the fleet. Default nothing: it has what it had before. */
  readonly parts?: FleetParts
  /** The command of a part's process. */
  readonly command: (part: PartPlan) => Omit<PartCommand, 'logFile'>
  /** Called when the state of a part changes. */
  readonly onChange?: (state: PartState) => void
  /** Default: the system's. */
  readonly clock?: Clock
}

/** Parts need much CPU time to start: more at once would delay the hub, which starts first. */
const STARTS_AT_ONCE = Math.max(3, availableParallelism())

/** Starts a hub and its clusters, one process each, and restarts them until it is stopped. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const release = await claimFleet(options.directory)
  try {
    await outlive(options.directory)
    const plan = await ensurePlan(options.directory, options.clusters, options.hub, options.addOns, options.parts)
    return new Fleet(options, plan, release)
  } catch (error) {
    release()
    throw error
  }
}

/** A running fleet. */
export class Fleet {
  /** Rejects if the hub cannot be started, or not in time; resolves when all parts have stopped. */
  readonly ended: Promise<void>
  readonly #options: FleetOptions
  readonly #parts: readonly Part[]
  readonly #recorder: RunRecorder
  readonly #kubeconfigs = new Map<string, string>()
  readonly #release: () => void
  readonly #semaphore = new Semaphore(STARTS_AT_ONCE)
  #plan: FleetPlan
  #moving: Promise<void> = Promise.resolve()
  #writingKubeconfig: Promise<void> = Promise.resolve()
  #waiting: (() => void)[] = []
  #isHubReady = false
  /** Whether the kubeconfig was written before all parts served: then the others are added later. */
  #isPartial = false
  #stopping: Promise<void> | undefined
  #giveUp: (reason: Error) => void = () => undefined
  /** Rejects when the fleet cannot run. */
  readonly #hopeless = new Promise<never>((_, reject) => {
    this.#giveUp = reject
  })

  constructor(options: FleetOptions, plan: FleetPlan, release: () => void) {
    this.#plan = plan
    this.#options = options
    this.#release = release
    this.#recorder = new RunRecorder(options.directory)
    this.#parts = plan.parts.map(({ name }) => this.#partOf(name))
    this.ended = this.#run()
    // Avoids an unhandled rejection for callers that wait for something else.
    this.ended.catch(() => undefined)
  }

  get states(): readonly PartState[] {
    return this.#parts.map(({ state }) => state)
  }

  /** Resolves when the hub is ready and every cluster available; rejects if that is not possible. */
  async whenAvailable(): Promise<void> {
    const [part] = await this.whenSettled()
    if (part !== undefined) throw new Error(`${part.name} is ${problemOf(part)}`)
  }

  /**
   * Resolves when the hub is ready, and every cluster is available or cannot be started; at the latest when the
   * signal aborts. Returns the parts that are not healthy, which are still retried. Rejects when the fleet ends,
   * which it does if the hub has not been ready by then.
   */
  async whenSettled(signal?: AbortSignal): Promise<readonly PartState[]> {
    let wake: () => void = () => undefined
    const settled = new Promise<void>((resolve) => {
      wake = resolve
      this.#waiting.push(resolve)
      signal?.addEventListener('abort', wake, { once: true })
      if (signal?.aborted === true) wake()
      this.#wakeIfSettled()
    })
    try {
      await Promise.race([
        settled.then(() => this.#needHub()),
        this.ended.then(() => Promise.reject(new Error('the fleet was stopped'))),
      ])
    } finally {
      signal?.removeEventListener('abort', wake)
      this.#waiting = this.#waiting.filter((one) => one !== wake)
    }
    const unhealthy = this.states.filter((state) => !isHealthy(state))
    // A caller that stops waiting can use the parts that run.
    if (unhealthy.length > 0) this.#writeKubeconfig({ whole: false })
    await this.#writingKubeconfig
    return unhealthy
  }

  /** Stops the clusters, then the hub, so that agents can release their leases. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  /** Kills all processes at once. */
  kill(): void {
    for (const part of this.#parts) part.kill()
  }

  async #run(): Promise<void> {
    try {
      await Promise.race([Promise.all(this.#parts.map((part) => part.keep())), this.#hopeless])
    } catch (error) {
      await this.stop()
      throw error
    } finally {
      await this.#recorder.remove()
      this.#release()
    }
  }

  /** Ends the fleet if its hub has never been ready, unless it is being stopped anyway. */
  async #needHub(): Promise<void> {
    const hub = this.#parts[0]
    if (hub === undefined || this.#isHubReady || this.#stopping !== undefined) return
    this.#giveUp(
      new Error(`hub was not ready in time: ${problemOf(hub.state)}; see ${this.#options.directory.log(HUB)}`),
    )
    await this.ended
  }

  async #stopAll(): Promise<void> {
    const [hub, ...clusters] = this.#parts
    await Promise.all(clusters.map((cluster) => cluster.stop()))
    await hub?.stop()
  }

  #partOf(name: string): Part {
    return new Part({
      name,
      logFile: this.#options.directory.log(name),
      command: () => this.#commandOf(name),
      turn: () => this.#semaphore.take(),
      clock: this.#options.clock ?? systemClock,
      onReport: (report) => this.#hear(name, report),
      onChange: (state) => this.#note(state),
    })
  }

  async #commandOf(name: string): Promise<PartCommand> {
    await this.#moving
    const plan = this.#plan.parts.find((part) => part.name === name)!
    return { ...this.#options.command(plan), logFile: this.#options.directory.log(name) }
  }

  #hear(name: string, report: PartReport): void {
    if (report.type === 'serving') {
      this.#kubeconfigs.set(name, report.kubeconfig)
      this.#writeKubeconfig()
      if (name !== HUB && this.#isHubReady) this.#letJoin(name)
    } else if (report.type === 'cluster') {
      this.#clusterPart(report.cluster.name)?.hear(report.cluster)
    } else if (report.type === 'obstacle') {
      this.#clusterPart(report.cluster)?.meet(report.detail)
    } else if (report.type === 'failed' && report.isPortTaken) {
      this.#leavePort(name, report.message)
    } else if (report.type === 'phase' && name === HUB && report.phase === 'ready') {
      this.#isHubReady = true
      for (const part of this.#parts.slice(1)) this.#letJoin(part.name)
    }
  }

  /** Moves a part whose port is in use to a free port. A hub with a requested port does not start instead. */
  #leavePort(name: string, problem: string): void {
    const isRequested = name === HUB && (this.#options.hub?.port ?? 0) !== 0
    if (isRequested && !this.#isHubReady) this.#giveUp(new Error(problem))
    if (isRequested || this.#isKnownElsewhere(name)) return
    this.#moving = this.#moving.then(async () => {
      this.#plan = await movePart(this.#options.directory, this.#plan, name)
    })
    this.#moving.catch(() => undefined)
  }

  /** Clusters on other machines reach the hub by its port, so it must not change. */
  #isKnownElsewhere(name: string): boolean {
    const { serving = {} } = this.#plan.parts.find((part) => part.name === name) ?? {}
    return advertisedHost(serving) !== undefined
  }

  #clusterPart(name: string): Part | undefined {
    return this.#parts.find((part) => part.name === name && part.name !== HUB)
  }

  #letJoin(name: string): void {
    const part = this.#parts.find((one) => one.name === name)
    part?.join({ type: 'join', bootstrapFile: this.#options.directory.bootstrap, rejoin: part.state.restarts === 0 })
  }

  /** Writes when all parts serve, so that no program reads a partial file. */
  #writeKubeconfig({ whole = true } = {}): void {
    const texts = this.#parts.flatMap(({ name }) => this.#kubeconfigs.get(name) ?? [])
    const isWhole = texts.length === this.#parts.length || this.#isPartial
    if ((whole && !isWhole) || !this.#kubeconfigs.has(HUB)) return
    this.#isPartial ||= !isWhole
    this.#writingKubeconfig = this.#writingKubeconfig.then(() => writeFleetKubeconfig(this.#options.directory, texts))
    this.#writingKubeconfig.catch(() => undefined)
  }

  #note(state: PartState): void {
    this.#recorder.record(this.states)
    this.#options.onChange?.(state)
    this.#wakeIfSettled()
  }

  #wakeIfSettled(): void {
    if (!this.states.every((state) => isHealthy(state) || state.cannotStart === true)) return
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
