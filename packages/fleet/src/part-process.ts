import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { JoinOrder, PartReport } from './messages.js'
import { logEnvironment, openLog } from './part-log.js'

/** The command of a part's process. */
export interface PartCommand {
  readonly file: string
  readonly arguments: readonly string[]
  readonly logFile: string
  readonly environment?: Readonly<Record<string, string>>
}

/** How a part's process ended. */
export interface PartEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The error that the part reported. */
  readonly message?: string
}

/** How long a part may take to stop before it is killed. */
const STOP_TIMEOUT_MS = 15_000

/** One run of a part in its own process, which ends with this one. */
export class PartProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<PartEnd>
  #failure: string | undefined

  constructor(command: PartCommand, onReport: (report: PartReport) => void) {
    const log = openLog(command.logFile)
    try {
      this.#child = spawn(command.file, command.arguments, {
        // Not in the terminal's process group, so that Ctrl-C does not reach parts: they stop in order.
        detached: true,
        stdio: ['ignore', log, log, 'ipc'],
        env: { ...process.env, ...logEnvironment(command.logFile), ...command.environment },
      })
    } finally {
      closeSync(log)
    }
    this.#child.on('message', (message) => {
      const report = message as PartReport
      if (report.type === 'failed') this.#failure = report.message
      onReport(report)
    })
    this.ended = this.#end()
  }

  /** Absent if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  send(order: JoinOrder): void {
    // If the part ends in the meantime, its end is noticed.
    if (this.#child.connected) this.#child.send(order, () => undefined)
  }

  /** Sends SIGTERM, and SIGKILL after a timeout. */
  async stop(): Promise<PartEnd> {
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT_MS)
    try {
      return await this.ended
    } finally {
      clearTimeout(timer)
    }
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #end(): Promise<PartEnd> {
    return new Promise((resolve) => {
      this.#child.on('error', (error) => resolve({ code: null, signal: null, message: error.message }))
      this.#child.once('close', (code, signal) => {
        resolve({ code, signal, ...(this.#failure !== undefined && { message: this.#failure }) })
      })
    })
  }
}
