import type { Container, Pod } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { Starter } from '../container/container-run.js'
import { newContainerId } from '../container/image.js'
import type { Exit, LiveContainer, Look } from '../container/live.js'
import { NotStarted } from '../container/not-started.js'
import { PlayedLog } from '../logs/played-log.js'
import { type PlayScript, playScriptOf } from './play-script.js'

/** Plays containers whose images have no registered program. `problem` returns why registrations could not be read. */
export function playedStarter(clock: Clock, problem: () => string | undefined): Starter {
  return {
    startsAt(pod, container, since) {
      return new Date(since.getTime() + playScriptOf(pod, container).start)
    },
    async start(pod, container, restarts, report) {
      if (!playScriptOf(pod, container).isPullable) {
        throw new NotStarted('ImagePullBackOff', `Back-off pulling image ${JSON.stringify(container.image ?? '')}`)
      }
      const unread = problem()
      if (unread !== undefined)
        report(
          'Warning',
          'ProgramsNotRead',
          `Image may be registered as a program, but registrations could not be read: ${unread}`,
        )
      const image = JSON.stringify(container.image ?? '')
      report('Normal', 'Started', 'Container started')
      const note = `No program of this node is registered for image ${image}: no process runs, the status is played`
      if (restarts === 0) report('Normal', 'Played', note)
      return new PlayedContainer(clock, container, newContainerId(), clock.now())
    },
    resume: (_pod, container, id, startedAt) => new PlayedContainer(clock, container, id, new Date(startedAt)),
  }
}

/** A played container: its state depends only on the time. */
class PlayedContainer implements LiveContainer {
  readonly id: string
  readonly startedAt: string
  readonly pid = undefined
  readonly inside = undefined
  readonly ended = undefined
  readonly #start: number
  readonly #container: Container
  readonly #clock: Clock
  #stopped: number | undefined
  #log: PlayedLog | undefined

  constructor(clock: Clock, container: Container, id: string, start: Date) {
    this.#clock = clock
    this.#container = container
    this.id = id
    this.#start = start.getTime()
    this.startedAt = formatTime(start)
  }

  get log(): PlayedLog {
    this.#log ??= new PlayedLog(this.#container.image ?? '', new Date(this.#start))
    return this.#log
  }

  look(pod: Pod, now: Date): Look {
    const { ready, end } = playScriptOf(pod, this.#container)
    const played = now.getTime() - this.#start
    const exit = this.#exit(end, now)
    const isReady = exit === undefined && ready !== undefined && played >= ready
    const next = [isReady ? undefined : ready, end?.after].filter((time) => time !== undefined && time > played)
    const again = next.length === 0 ? undefined : new Date(this.#start + Math.min(...(next as number[])))
    return { exit, started: exit === undefined, ready: isReady, again }
  }

  /** There is no process, so it ends immediately. */
  stop(): void {
    this.#stopped ??= this.#clock.now().getTime()
  }

  close(): void {
    this.#log?.close()
  }

  #exit(end: PlayScript['end'], now: Date): Exit | undefined {
    if (this.#stopped !== undefined) {
      return { exitCode: 0, reason: 'Completed', finishedAt: formatTime(new Date(this.#stopped)) }
    }
    if (end === undefined || now.getTime() < this.#start + end.after) return undefined
    const { exitCode, after } = end
    const reason = exitCode === 0 ? 'Completed' : 'Error'
    return { exitCode, reason, finishedAt: formatTime(new Date(this.#start + after)) }
  }
}
