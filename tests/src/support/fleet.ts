import { type ChildProcess, spawn } from 'node:child_process'
import type { TestContext } from 'node:test'
import type { FleetStatus } from '@orrery/fleet'
import { eventually } from '@orrery/kube/testing'
import { orrery } from './cli-here.js'
import { afterwards, temporaryDirectory } from './server.js'

const CLI = new URL('../../../packages/cli/bin/orrery.js', import.meta.url).pathname

/** A directory for a fleet, which is stopped after the test. */
export async function fleetDirectory(t: Pick<TestContext, 'after'>): Promise<string> {
  const directory = await temporaryDirectory(t)
  afterwards(t, async () => {
    await orrery('down', '--data', directory)
  })
  return directory
}

/** Runs commands on a fleet in other processes until they return a value, and leaves time of the machine to them. */
export function inTime<T>(what: string, look: () => Promise<T>): Promise<Exclude<T, false | undefined>> {
  return eventually(what, look, { intervalMilliseconds: 200 })
}

/** The parsed output of `orrery status`. */
export async function statusOf(directory: string): Promise<FleetStatus & { readonly code: number | null }> {
  const { code, out, errors } = await orrery('status', '--data', directory, '-o', 'json')
  if (out === '') throw new Error(errors)
  return { ...(JSON.parse(out) as FleetStatus), code }
}

/** A command in the foreground. */
export interface Foreground {
  readonly process: ChildProcess
  /** Its output so far. */
  text(): string
  /** Resolves when its output matches. */
  says(pattern: RegExp): Promise<void>
  readonly ended: Promise<number | null>
}

/** Starts `orrery up` with arguments in the background. */
export function up(...args: readonly string[]): Foreground {
  return running('up', ...args)
}

/** Starts `orrery` with arguments in the background. */
export function running(...args: readonly string[]): Foreground {
  return runningVia([], ...args)
}

/** The same, through another program that gets the command as its last arguments. */
export function runningVia(prefix: readonly string[], ...args: readonly string[]): Foreground {
  const [file = process.execPath, ...words] = [...prefix, process.execPath, CLI, ...args]
  const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    process: child,
    text: () => text,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(text)) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended without saying ${pattern}:\n${text}`)))
      }),
    ended,
  }
}
