import type { Container } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { Report } from '../container/container-run.js'
import type { ContainerInside, Exit, LiveContainer, Look } from '../container/live.js'
import type { ContainerLog } from '../logs/container-log.js'
import type { GroupProcess, ProcessEnd } from '../os/child-process.js'
import type { Execute } from '../probes/check.js'
import { Health } from '../probes/health.js'
import type { ContainerStreams } from './container-streams.js'
import { executeCommand } from './execute.js'
import { runHook } from './hook.js'
import type { Workspace } from './workspace.js'

export interface ProcessContainerOptions {
  readonly id: string
  readonly container: Container
  readonly process: GroupProcess
  readonly log: ContainerLog
  readonly clock: Clock
  readonly streams: ContainerStreams
  readonly workspace: Workspace
  /** The default grace period. */
  readonly graceSeconds: number
  /** Returns the termination message after the end. */
  readonly terminationMessage: (exitCode: number) => Promise<string>
  readonly report: Report
  /** Called when the state changes. */
  readonly onChange: () => void
}

/**
 * A container that is a process of this machine.
 *
 * | state    | until                                                              |
 * |----------|--------------------------------------------------------------------|
 * | starting | its `postStart` hook, if any, has completed; if it fails, it stops |
 * | up       | it ends, a liveness or startup probe fails, or it is stopped       |
 * | stopping | `preStop` runs, then the stop signal, then SIGKILL after the grace period |
 * | ended    | final                                                              |
 */
export class ProcessContainer implements LiveContainer {
  readonly id: string
  readonly startedAt: string
  readonly log: ContainerLog
  readonly ended: Promise<void>
  readonly #options: ProcessContainerOptions
  readonly #hooks = new AbortController()
  #health: Health | undefined
  #exit: Exit | undefined
  readonly #execute: Execute = (command, begin) => executeCommand(this.#options.workspace, command, begin)
  #isStopping = false
  #killAt = Number.POSITIVE_INFINITY
  #cancelKill: (() => void) | undefined

  constructor(options: ProcessContainerOptions) {
    this.#options = options
    const { id, process, log, clock } = options
    this.id = id
    this.log = log
    this.startedAt = formatTime(clock.now())
    this.ended = process.ended.then((end) => this.#onEnd(end))
    void this.#bringUp()
  }

  get inside(): ContainerInside {
    return this.#options
  }

  get pid(): number {
    return this.#options.process.pid
  }

  look(): Look {
    const isUp = this.#exit === undefined && !this.#isStopping
    return {
      exit: this.#exit,
      started: this.#exit === undefined && (this.#health?.started ?? false),
      ready: isUp && (this.#health?.ready ?? false),
      again: undefined,
    }
  }

  stop(graceSeconds: number): void {
    const { clock, process } = this.#options
    const killAt = clock.elapsed() + graceSeconds * 1_000
    if (killAt < this.#killAt) {
      this.#killAt = killAt
      this.#cancelKill?.()
      if (graceSeconds <= 0) process.kill('SIGKILL')
      else this.#cancelKill = clock.after(graceSeconds * 1_000, () => process.kill('SIGKILL'))
    }
    if (this.#isStopping) return
    this.#isStopping = true
    this.#health?.stop()
    void this.#bringDown()
  }

  close(): void {
    this.#health?.stop()
    this.#cancelKill?.()
    this.#hooks.abort()
  }

  async #bringUp(): Promise<void> {
    const { container, clock, report, onChange } = this.#options
    const execute = this.#execute
    const handler = container.lifecycle?.postStart
    if (handler !== undefined) {
      const { ok, message } = await runHook(handler, container, execute, clock, this.#hooks.signal)
      if (!ok) {
        report('Warning', 'FailedPostStartHook', `PostStartHook failed: ${message}`)
        report('Normal', 'Killing', 'FailedPostStartHook')
        this.stop(this.#options.graceSeconds)
        return
      }
    }
    if (this.#isStopping || this.#exit !== undefined) return
    this.#health = new Health({
      clock,
      container,
      execute,
      startedAt: clock.elapsed(),
      onChange,
      onDead: (probe, graceSeconds) => {
        report(
          'Normal',
          'Killing',
          `Container ${container.name} failed ${probe.toLowerCase()} probe, will be restarted`,
        )
        this.stop(graceSeconds ?? this.#options.graceSeconds)
      },
      onUnhealthy: (note) => report('Warning', 'Unhealthy', note),
    })
    onChange()
  }

  async #bringDown(): Promise<void> {
    const { container, clock, process, report } = this.#options
    const handler = container.lifecycle?.preStop
    if (handler !== undefined && process.isRunning && this.#killAt > clock.elapsed()) {
      const { ok, message } = await runHook(handler, container, this.#execute, clock, this.#hooks.signal)
      if (!ok) report('Warning', 'FailedPreStopHook', `PreStopHook failed: ${message}`)
    }
    process.kill((container.lifecycle?.stopSignal as NodeJS.Signals | undefined) ?? 'SIGTERM')
  }

  async #onEnd({ exitCode, signal }: ProcessEnd): Promise<void> {
    const { clock, log, terminationMessage, onChange } = this.#options
    const finishedAt = formatTime(clock.now())
    log.close()
    const message = await terminationMessage(exitCode)
    this.#exit = {
      exitCode,
      ...(signal !== undefined && { signal }),
      reason: exitCode === 0 ? 'Completed' : 'Error',
      ...(message !== '' && { message }),
      finishedAt,
    }
    onChange()
  }
}
