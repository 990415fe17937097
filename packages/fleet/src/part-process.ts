import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { JoinOrder, PartReport } from './messages.js'
import { logEnvironment, openLog } from './part-log.js'

/** How the process of a part is started. */
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
  /** What the part itself said about it. */
  readonly message?: string
}

/** How long a part may take to stop before it is killed. */
const STOP_TIMEOUT_MS = 15_000

/** One run of a part in a process of its own, which ends when this one does. */
export class PartProcess {
  readonly #child: ChildProcess
  readonly ended: Promise<PartEnd>
  #failure: string | undefined

  constructor(command: PartCommand, onReport: (report: PartReport) => void) {
    const log = openLog(command.logFile)
    try {
      this.#child = spawn(command.file, command.arguments, {
        // Out of reach of the terminal's Ctrl-C: parts stop in the order that suits them.
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

  /** Absent when the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  send(order: JoinOrder): void {
    // A part that ends in the meantime is noticed by its end.
    if (this.#child.connected) this.#child.send(order, () => undefined)
  }

  /** Asks it to stop, and insists after a while. */
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
