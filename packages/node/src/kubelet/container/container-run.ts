import type { Container, ContainerStateTerminated, ContainerStateWaiting, ContainerStatus, Pod } from '@orrery/kinds'
import { formatDuration, formatTime, MILLISECOND } from '@orrery/kinds/values'
import { CrashBackoff } from './crash-backoff.js'
import { RUNTIME } from './image.js'
import type { LiveContainer } from './live.js'
import { NotStarted } from './not-started.js'

/** The role of a container in its pod. */
export type ContainerRole = 'init' | 'sidecar' | 'main'

/** Starts containers: one implementation for programs, one for played containers. */
export interface Starter {
  /** Returns when a container that is eligible to start since `since` actually starts. */
  startsAt(pod: Pod, container: Container, since: Date): Date
  /** Starts the container. Throws `NotStarted` if something is missing. */
  start(pod: Pod, container: Container, restarts: number, report: Report): Promise<LiveContainer>
  /** Resumes a container that an earlier run of this node started. Returns undefined if that is not possible. */
  resume(pod: Pod, container: Container, id: string, startedAt: string): LiveContainer | undefined
}

/** Records an event about the container. */
export type Report = (type: 'Normal' | 'Warning', reason: string, note: string) => void

const CREATING: ContainerStateWaiting = { reason: 'ContainerCreating' }
/** The first retry delay for something missing that the node does not watch; each further delay is twice as long. */
const RETRY = 2_000
const MAX_RETRY = 60_000
/** The exit code that container runtimes report for a container that they lost track of. */
const LOST_EXIT_CODE = 255

/**
 * One container of a pod over its whole lifetime, restarts included.
 *
 * | state      | next state                                                      |
 * |------------|-----------------------------------------------------------------|
 * | waiting    | running, once it may start and does                             |
 * | running    | terminated, once it ends                                        |
 * | terminated | running, if it is restarted and the back-off is over            |
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
  /** The image of the current or last run. */
  image: string | undefined
  /** Whether the container is played instead of run. Undefined until this node has started it. */
  isPlayed: boolean | undefined
  /** The time from which the container was allowed to start. */
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

  /** Restores the state from the container status that an earlier run of this node wrote. */
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
    const message = 'the node stopped while the container was running'
    const end = { exitCode: LOST_EXIT_CODE, reason: 'Unknown', message, startedAt, finishedAt: formatTime(now) }
    this.#settle({ ...end, containerID })
  }

  /** Updates the state from the running container. Returns when to check again. */
  observe(pod: Pod, now: Date): Date | undefined {
    if (this.live === undefined) return undefined
    const { exit, started, ready, again } = this.live.look(pod, now)
    this.started = started
    // An init container is ready only after it has completed.
    this.ready = ready && this.role !== 'init'
    if (exit === undefined) return again
    const { id, startedAt } = this.live
    this.live.close()
    this.live = undefined
    this.#settle({ ...exit, startedAt, containerID: `${RUNTIME}://${id}` })
    return undefined
  }

  /** Starts or restarts the container if it is due. Returns when to check again. */
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

  /** Stops the container with a grace period. */
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
      // Missing API objects are watched, so they need no back-off; files of this machine are not watched.
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
