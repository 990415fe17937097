import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Environment } from './environment.js'
import { ProcessOutput, type TakeOutput } from './output.js'

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number
  readonly signal: number | undefined
}

export interface ProcessOptions {
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly directory: string
  readonly onOutput: TakeOutput
  /** Called when it has ended: ends what it started and its group has lost. */
  readonly sweep?: () => Promise<void>
}

/** A shell reports a process that a signal ended by this much more than the signal's number. */
const SIGNALLED = 128

/** A process of this machine, with all that it starts: they are one group, and end together. */
export class GroupProcess {
  readonly pid: number
  /** Resolves when it has ended and its output is read. */
  readonly ended: Promise<ProcessEnd>
  readonly #child: ChildProcess
  #hasExited = false

  private constructor(child: ChildProcess, pid: number, output: ProcessOutput, sweep: ProcessOptions['sweep']) {
    this.#child = child
    this.pid = pid
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasExited = true
        const number = signal === null ? undefined : constants.signals[signal]
        const exitCode = code ?? SIGNALLED + (number ?? 0)
        // What it started must not outlive it.
        killGroup(pid, 'SIGKILL')
        const swept = sweep?.() ?? Promise.resolve()
        void swept.then(() => output.whenRead()).then(() => resolve({ exitCode, signal: number }))
      })
    })
  }

  /** Starts a process. Rejects when that cannot be done. */
  static start({ command, environment, directory, onOutput, sweep }: ProcessOptions): Promise<GroupProcess> {
    const [file = '', ...args] = command
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, {
        cwd: directory,
        env: Object.fromEntries(environment),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      const output = new ProcessOutput(child, onOutput)
      child.once('error', reject)
      child.once('spawn', () => {
        child.off('error', reject)
        // A signal that cannot be delivered is no failure of the process.
        child.on('error', () => undefined)
        resolve(new GroupProcess(child, child.pid ?? 0, output, sweep))
      })
    })
  }

  get isRunning(): boolean {
    return !this.#hasExited && this.#child.exitCode === null
  }

  /** Sends a signal to the process and all that it started. */
  kill(signal: NodeJS.Signals): void {
    if (this.isRunning) killGroup(this.pid, signal)
  }
}

/** Sends a signal to a process group; content when it is gone. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left in it.
  }
}

/** The environment of a process: only what a container is meant to see, never the node's own. */
export function baseEnvironment(hostname: string, home: string): Environment {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', LANG } = process.env
  const base = new Map([
    ['PATH', PATH],
    ['HOSTNAME', hostname],
    ['HOME', home],
  ])
  if (LANG !== undefined) base.set('LANG', LANG)
  return base
}
