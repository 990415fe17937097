import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.js'
import { afterwards } from '../support/server.js'

/** The directory of the programs. */
export const OCM_BIN =
  process.env.ORRERY_OCM_BIN ?? fileURLToPath(new URL('../../../.cache/interop/bin/', import.meta.url))

/** The end of a log is enough to find a problem. */
const LOG_TAIL = 6_000

/** A program of Open Cluster Management. */
export class OcmProgram {
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  #log = ''

  private constructor(child: ChildProcess) {
    this.#process = child
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()))
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-LOG_TAIL)
      })
    }
  }

  /** Starts one for a test, and stops it afterwards. */
  static async start(
    t: Pick<TestContext, 'after'>,
    name: 'addon' | 'placement' | 'registration' | 'work',
    args: readonly string[],
  ): Promise<OcmProgram> {
    const path = join(OCM_BIN, name)
    if (!existsSync(path)) throw new Error(`${path} is not there: node tools/interop/prepare.mjs builds it`)
    // It requires a port, even if it is not used.
    const common = ['--disable-leader-election', `--listen=127.0.0.1:${await freePort()}`]
    return OcmProgram.run(t, [path, ...args, ...common])
  }

  /** Runs a command line for a test, and stops it afterwards. */
  static run(t: Pick<TestContext, 'after'>, [path, ...args]: readonly [string, ...string[]]): OcmProgram {
    const program = new OcmProgram(spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'] }))
    afterwards(t, () => program.stop())
    return program
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** The end of its log. */
  get log(): string {
    return this.#log
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.#process.kill(signal)
    const killed = setTimeout(() => this.#process.kill('SIGKILL'), 5_000)
    await this.#ended
    clearTimeout(killed)
  }
}
