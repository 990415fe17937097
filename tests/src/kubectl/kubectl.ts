import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerProcess } from '../support/server.js'

const BIN = new URL('../../../.cache/peers/bin/', import.meta.url).pathname

/** The tested minor versions of kubectl; `npm run test:peers` installs them. */
export const MINORS = [20, 27, 31, 37] as const
export type Minor = (typeof MINORS)[number]

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** Ends the command when its output matches: for commands without an end. */
  readonly until?: ((stdout: string) => boolean) | undefined
  /** Ends the command from outside. */
  readonly signal?: AbortSignal
}

/** The time limit of a command, on a busy machine. */
const TIMEOUT_MILLISECONDS = 60_000

/** One kubectl binary for a server, with its own home directory for caches. */
export class Kubectl {
  readonly minor: Minor
  readonly server: ServerProcess
  readonly #binary: string
  readonly #home: string

  private constructor(minor: Minor, server: ServerProcess, home: string) {
    this.minor = minor
    this.server = server
    this.#home = home
    this.#binary = join(BIN, `kubectl-${minor}`)
    if (!existsSync(this.#binary)) throw new Error(`${this.#binary} is missing: run node tools/peers/kubectl.mjs`)
  }

  static async create(minor: Minor, server: ServerProcess): Promise<Kubectl> {
    const home = join(server.dataDirectory, 'home')
    await mkdir(home)
    return new Kubectl(minor, server, home)
  }

  /** A directory for files the commands read. */
  get home(): string {
    return this.#home
  }

  /** Runs a command to its end. */
  run(args: readonly string[], { input, environment, until, signal }: RunOptions = {}): Promise<Outcome> {
    const child = spawn(this.#binary, args, {
      cwd: this.#home,
      env: {
        PATH: process.env.PATH,
        HOME: this.#home,
        TMPDIR: this.#home,
        KUBECONFIG: this.server.kubeconfig,
        ...environment,
      },
    })
    signal?.addEventListener('abort', () => child.kill())
    child.stdin.on('error', () => undefined)
    child.stdin.end(input ?? '')
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (until?.(stdout) === true) child.kill()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MILLISECONDS)
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        clearTimeout(timer)
        resolve({ code: until?.(stdout) === true ? 0 : (code ?? -1), stdout, stderr })
      })
    })
  }
}
