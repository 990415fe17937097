import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { inheritedDescriptors } from './inherited-descriptors.js'
import { ProcessOutput, type TakeOutput } from './output.js'

/** By name. A map, since a name may be `__proto__`. */
export type Environment = Map<string, string>

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number
  readonly signal: number | undefined
}

/**
 * What a process has at a descriptor: nothing, a pipe that its owner writes to or reads from, or a text to read. `output`
 * is handed to `onOutput`: the first as standard output, the second as standard error.
 */
export type Descriptor = 'nothing' | 'input' | 'output' | 'report' | { readonly text: string }

export interface ProcessOptions {
  readonly command: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly directory: string
  readonly onOutput: TakeOutput
  /** Default: nothing to read, and two outputs. */
  readonly descriptors?: readonly Descriptor[]
  /** Whether a shell waits for the program and reports a signal that ended it by a number. Default false. */
  readonly isWrapped?: boolean
  /** Called when it has ended: ends what it started and its group has lost. */
  readonly sweep?: () => Promise<void>
}

/** A shell reports a process that a signal ended by this much more than the signal's number. */
const SIGNALLED = 128
const DEFAULT_DESCRIPTORS: readonly Descriptor[] = ['nothing', 'output', 'output']

/** A process of this machine, with all that it starts: they are one group, and end together. */
export class GroupProcess {
  /** The process that was started, the first of its group. */
  readonly leader: number
  /** Resolves when it has ended and its output is read. */
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
        // What it started must not outlive it.
        killGroup(leader, 'SIGKILL')
        const swept = options.sweep?.() ?? Promise.resolve()
        void swept.then(() => output.whenRead()).then(() => resolve({ exitCode, signal: number }))
      })
    })
  }

  /** Starts a process. Rejects when that cannot be done. */
  static start(options: ProcessOptions): Promise<GroupProcess> {
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
        // It may end without having read it all.
        stream?.on('error', () => undefined)
        if (typeof one === 'object') (stream as Writable).end(one.text)
      }
      child.once('error', reject)
      child.once('spawn', () => {
        child.off('error', reject)
        // A signal that cannot be delivered is no failure of the process.
        child.on('error', () => undefined)
        resolve(new GroupProcess(child, child.pid ?? 0, output, options))
      })
    })
  }

  /** The number of the process that counts: the leader, or the one that it started in its stead. */
  get pid(): number {
    return this.#inner?.pid ?? this.leader
  }

  /** Where to write what it reads; undefined when it reads nothing. */
  get input(): Writable | undefined {
    return this.#streamAt('input') as Writable | undefined
  }

  /** What it says about itself. */
  get report(): Readable | undefined {
    return this.#streamAt('report') as Readable | undefined
  }

  get isRunning(): boolean {
    return !this.#hasExited && this.#child.exitCode === null
  }

  /** Makes a process that the leader started the one that gets signals. */
  standFor(inner: InnerProcess): void {
    this.#inner = inner
  }

  /** Sends a signal to the process and all that it started. */
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

/** What is not spoken for is not handed on either. */
function stdioOf(descriptors: readonly Descriptor[]): ('ignore' | 'pipe' | number)[] {
  const stdio: ('ignore' | 'pipe' | number)[] = descriptors.map((one) => (one === 'nothing' ? 'ignore' : 'pipe'))
  const inherited = inheritedDescriptors()
  for (const descriptor of inherited.descriptors) {
    while (stdio.length < descriptor) stdio.push('ignore')
    if (stdio[descriptor] !== 'pipe') stdio[descriptor] = inherited.nothing
  }
  return stdio
}

/** A process that runs below another in namespaces of its own. */
export interface InnerProcess {
  /** The program, first of its own process group. */
  readonly pid: number
  /** Process 1 of its namespace: all others end with it. */
  readonly init: number
}

/** The signal that a shell reports; undefined when there is no shell or the code is the program's own. */
function signalIn(code: number | null, { isWrapped = false }: ProcessOptions): number | undefined {
  if (!isWrapped || code === null || code <= SIGNALLED) return undefined
  return Object.values(constants.signals).find((number) => number === code - SIGNALLED)
}

function killProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
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
