import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { inheritedDescriptors } from './inherited-descriptors.js'
import { ProcessOutput, type TakeOutput } from './output.js'
import { processStarts } from './process-starts.js'

/** Variables by name. A Map, since a name can be `__proto__`. */
export type Environment = Map<string, string>

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number
  readonly signal: number | undefined
}

/**
 * What a descriptor of the process is: nothing, a pipe that the owner writes or reads, or a text to read. `output` is
 * passed to `onOutput`: the first as standard output, the second as standard error.
 */
export type Descriptor = 'nothing' | 'input' | 'output' | 'report' | { readonly text: string }

export interface ProcessOptions {
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly directory: string
  /** Processes of different flows, such as namespaces, are started in turns. Defaults to one flow for all. */
  readonly flow?: string | undefined
  readonly onOutput: TakeOutput
  /** Defaults to no input and two outputs. */
  readonly descriptors?: readonly Descriptor[]
  /** Whether a shell waits for the program and reports a terminating signal as an exit code. Defaults to false. */
  readonly isWrapped?: boolean
  /** Called after the end: ends descendants that left the process group. */
  readonly sweep?: () => Promise<void>
}

/** A shell reports a terminating signal as this value plus the signal's number. */
const SIGNALLED = 128
const DEFAULT_DESCRIPTORS: readonly Descriptor[] = ['nothing', 'output', 'output']

/** A process of this machine with its process group: all processes of the group end together. */
export class GroupProcess {
  /** The PID of the started process, the leader of its group. */
  readonly leader: number
  /** Resolves when the process has ended and its output is read. */
  readonly ended: Promise<ProcessEnd>
  readonly #child: ChildProcess
  readonly #descriptors: readonly Descriptor[]
  #hasExited = false
  #inner: InnerProcess | undefined

  private constructor(child: ChildProcess, leader: number, output: ProcessOutput, options: ProcessOptions) {
    this.#child = child
    this.#descriptors = options.descriptors ?? DEFAULT_DESCRIPTORS
    this.leader = leader
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasExited = true
        const number = signal === null ? signalIn(code, options) : constants.signals[signal]
        const exitCode = code ?? SIGNALLED + (number ?? 0)
        // Processes of the group must not outlive the leader.
        killGroup(leader, 'SIGKILL')
        const swept = options.sweep?.() ?? Promise.resolve()
        void swept.then(() => output.whenRead()).then(() => resolve({ exitCode, signal: number }))
      })
    })
  }

  /** Starts a process. Rejects if that fails. */
  static async start(options: ProcessOptions): Promise<GroupProcess> {
    return processStarts.run(options.flow ?? '', () => GroupProcess.#spawn(options))
  }

  static #spawn(options: ProcessOptions): Promise<GroupProcess> {
    const { command, environment, directory, onOutput, descriptors = DEFAULT_DESCRIPTORS } = options
    const [file = '', ...args] = command
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, {
        cwd: directory,
        env: Object.fromEntries(environment),
        stdio: stdioOf(descriptors),
        detached: true,
      })
      const output = new ProcessOutput(child, onOutput)
      for (const [index, one] of descriptors.entries()) {
        const stream = child.stdio[index]
        // The process may end before it has read everything.
        stream?.on('error', () => undefined)
        if (typeof one === 'object') (stream as Writable).end(one.text)
      }
      child.once('error', reject)
      child.once('spawn', () => {
        child.off('error', reject)
        // Failing to deliver a signal is not a failure of the process.
        child.on('error', () => undefined)
        resolve(new GroupProcess(child, child.pid ?? 0, output, options))
      })
    })
  }

  /** The PID of the main process: the leader, or the inner process that `standFor` set. */
  get pid(): number {
    return this.#inner?.pid ?? this.leader
  }

  /** The standard input; undefined if it has none. */
  get input(): Writable | undefined {
    return this.#streamAt('input') as Writable | undefined
  }

  /** The stream of the report descriptor. */
  get report(): Readable | undefined {
    return this.#streamAt('report') as Readable | undefined
  }

  get isRunning(): boolean {
    return !this.#hasExited && this.#child.exitCode === null
  }

  /** Makes an inner process the receiver of signals. */
  standFor(inner: InnerProcess): void {
    this.#inner = inner
  }

  /** Sends a signal to the process and its group. */
  kill(signal: NodeJS.Signals): void {
    if (!this.isRunning) return
    if (this.#inner === undefined) killGroup(this.leader, signal)
    else if (signal === 'SIGKILL') killProcess(this.#inner.init, signal)
    else killGroup(this.#inner.pid, signal)
  }

  #streamAt(kind: Descriptor): unknown {
    const index = this.#descriptors.indexOf(kind)
    return index < 0 ? undefined : this.#child.stdio[index]
  }
}

/** Descriptors that are not listed are not inherited. */
function stdioOf(descriptors: readonly Descriptor[]): ('ignore' | 'pipe' | number)[] {
  const stdio: ('ignore' | 'pipe' | number)[] = descriptors.map((one) => (one === 'nothing' ? 'ignore' : 'pipe'))
  const inherited = inheritedDescriptors()
  for (const descriptor of inherited.descriptors) {
    while (stdio.length < descriptor) stdio.push('ignore')
    if (stdio[descriptor] !== 'pipe') stdio[descriptor] = inherited.nothing
  }
  return stdio
}

/** A process in its own namespaces below the leader. */
export interface InnerProcess {
  /** The PID of the program, the leader of its process group. */
  readonly pid: number
  /** Process 1 of the PID namespace: if it ends, all others end. */
  readonly init: number
}

/** Returns the signal that a shell reported; undefined if there is no shell or the code is the program's own. */
function signalIn(code: number | null, { isWrapped = false }: ProcessOptions): number | undefined {
  if (!isWrapped || code === null || code <= SIGNALLED) return undefined
  return Object.values(constants.signals).find((number) => number === code - SIGNALLED)
}

function killProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

/** Sends a signal to a process group. Does nothing if the group no longer exists. */
export function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has no processes.
  }
}

/** Returns the base environment of a process. Nothing is inherited from the node's environment. */
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
