import type { Container, ContainerStateTerminated, ContainerStateWaiting, ContainerStatus, Pod } from '@orrery/kinds'
import { formatDuration, formatTime, MILLISECOND } from '@orrery/kinds/values'
import { CrashBackoff } from './crash-backoff.js'
import { RUNTIME } from './image.js'
import type { LiveContainer } from './live.js'
import { NotStarted } from './not-started.js'

/** Part of the life of every container. */
export type ContainerRole = 'init' | 'sidecar' | 'main'

/** What brings containers of one kind to life. */
export interface Starter {
  /** From when on a container that could start at `since` does. */
  startsAt(pod: Pod, container: Container, since: Date): Date
  /** Starts it. Throws `NotStarted` when something is missing. */
  start(pod: Pod, container: Container, restarts: number, report: Report): Promise<LiveContainer>
  /** Goes on with a container that ran before this node did, or undefined when that cannot be. */
  resume(pod: Pod, container: Container, id: string, startedAt: string): LiveContainer | undefined
}

/** Tells of something that happened to the container. */
export type Report = (type: 'Normal' | 'Warning', reason: string, note: string) => void

const CREATING: ContainerStateWaiting = { reason: 'ContainerCreating' }
/** What is missing may come without anybody telling: looked for at first after so long, and then more and more seldom. */
const RETRY = 2_000
const MAX_RETRY = 60_000
/** As runtimes report containers that they lost sight of. */
const LOST_EXIT_CODE = 255

/**
 * One container of a pod, from its first start to its last end.
 *
 * | state      | it moves on                                                     |
 * |------------|-----------------------------------------------------------------|
 * | waiting    | to running when it may start and does                           |
 * | running    | to terminated when it ends                                      |
 * | terminated | to running when it is to run again and the back-off is over     |
 */
export class ContainerRun {
  readonly role: ContainerRole
  readonly #name: string
  readonly #starterFor: (container: Container) => Starter
  readonly #report: Report
  readonly #backoff = new CrashBackoff()
  waiting: ContainerStateWaiting | undefined = CREATING
  live: LiveContainer | undefined
  terminated: ContainerStateTerminated | undefined
  last: ContainerStateTerminated | undefined
  restarts = 0
  started = false
  ready = false
  /** The image that it runs, or ran last. */
  image: string | undefined
  /** Whether it is played instead of run; undefined before this node has started it. */
  isPlayed: boolean | undefined
  /** Since when it could have started. */
  #eligible: Date | undefined
  #retry: number | undefined
  #tries = 0
  #isEnding = false

  constructor(name: string, role: ContainerRole, starterFor: (container: Container) => Starter, report: Report) {
    this.#name = name
    this.role = role
    this.#starterFor = starterFor
    this.#report = report
  }

  get isRunning(): boolean {
    return this.live !== undefined
  }

  /** Takes up what was known of the container before this node started. */
  restore(pod: Pod, container: Container, status: ContainerStatus, now: Date): void {
    const { state, lastState, restartCount, containerID = '' } = status
    this.restarts = restartCount
    this.image = container.image
    this.last = lastState?.terminated
    if (state?.terminated !== undefined) this.#settle(state.terminated)
    if (state?.waiting !== undefined && this.last !== undefined) {
      this.terminated = this.last
      this.waiting = state.waiting
    }
    if (state?.running === undefined) return
    const { startedAt = formatTime(now) } = state.running
    this.live = this.#starterFor(container).resume(pod, container, containerID.replace(/^.*:\/\//, ''), startedAt)
    if (this.live !== undefined) {
      this.waiting = undefined
      this.isPlayed = this.live.pid === undefined
      return
    }
    const message = 'the node stopped while the container ran'
    const end = { exitCode: LOST_EXIT_CODE, reason: 'Unknown', message, startedAt, finishedAt: formatTime(now) }
    this.#settle({ ...end, containerID })
  }

  /** Takes in how the container is doing. Returns when to look again. */
  observe(pod: Pod, now: Date): Date | undefined {
    if (this.live === undefined) return undefined
    const { exit, started, ready, again } = this.live.look(pod, now)
    this.started = started
    // An init container is ready when it has done its work, not while it is at it.
    this.ready = ready && this.role !== 'init'
    if (exit === undefined) return again
    const { id, startedAt } = this.live
    this.live.close()
    this.live = undefined
    this.#settle({ ...exit, startedAt, containerID: `${RUNTIME}://${id}` })
    return undefined
  }

  /** Starts the container, for the first time or again, when its time has come. Returns when to look again. */
  async advance(pod: Pod, container: Container, now: Date): Promise<Date | undefined> {
    const due = Math.max(this.#retry ?? 0, this.#dueAt(pod, container, now))
    if (due <= now.getTime()) return this.#start(pod, container, now)
    if (this.terminated !== undefined && this.waiting === undefined) this.#backOff(pod, container)
    return new Date(due)
  }

  #dueAt(pod: Pod, container: Container, now: Date): number {
    if (this.terminated !== undefined) return this.#backoff.dueAfter(Date.parse(this.terminated.finishedAt ?? ''))
    this.#eligible ??= now
    return this.#starterFor(container).startsAt(pod, container, this.#eligible).getTime()
  }

  #backOff({ metadata: { name, namespace, uid } }: Pod, container: Container): void {
    const pod = `${name}_${namespace}(${uid})`
    const wait = formatDuration(BigInt(this.#backoff.milliseconds) * MILLISECOND)
    const message = `back-off ${wait} restarting failed container=${container.name} pod=${pod}`
    this.waiting = { reason: 'CrashLoopBackOff', message }
    this.#report('Warning', 'BackOff', `Back-off restarting failed container ${container.name} in pod ${pod}`)
  }

  /** Asks the container to end within a time. */
  end(graceSeconds: number): void {
    if (this.live === undefined) return
    if (!this.#isEnding) this.#report('Normal', 'Killing', `Stopping container ${this.#name}`)
    this.#isEnding = true
    this.live.stop(graceSeconds)
  }

  async #start(pod: Pod, container: Container, now: Date): Promise<Date | undefined> {
    const ended = this.terminated
    const restarts = ended === undefined ? this.restarts : this.restarts + 1
    try {
      this.live = await this.#starterFor(container).start(pod, container, restarts, this.#report)
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error
      if (this.waiting?.message !== error.message) this.#report('Warning', 'Failed', `Error: ${error.message}`)
      this.waiting = { reason: error.reason, message: error.message }
      // Objects are watched, what is on this machine is not.
      const growth = error.isWatched ? 1 : 2 ** this.#tries++
      this.#retry = now.getTime() + Math.min(RETRY * growth, MAX_RETRY)
      return new Date(this.#retry)
    }
    if (ended !== undefined) {
      this.#backoff.restarted(Date.parse(ended.finishedAt ?? ''), now.getTime())
      this.last = ended
    }
    this.restarts = restarts
    this.image = container.image
    this.isPlayed = this.live.pid === undefined
    this.terminated = undefined
    this.waiting = undefined
    this.#retry = undefined
    this.#tries = 0
    return this.observe(pod, now)
  }

  #settle(end: ContainerStateTerminated): void {
    this.terminated = end
    this.waiting = undefined
    this.started = false
    this.ready = this.role === 'init' && end.exitCode === 0
  }
}
