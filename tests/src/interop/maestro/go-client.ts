import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import type { ManifestWork, NewManifestWork } from '@orrery/api'
import { afterwards } from '../../support/server.js'
import { programPath } from './programs.js'
import type { MaestroOfTest } from './servers.js'

/** A refusal by the SDK. */
interface Refusal {
  readonly message: string
  readonly reason?: string
  readonly code?: number
}

export class RefusedError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof RefusedError && error.refusal.reason === 'NotFound'
}

interface WatchEvent {
  readonly type: string
  readonly work: ManifestWork
}

interface ListOptions {
  readonly selector?: string
  readonly limit?: number
  readonly continue?: string
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: Refusal
  readonly event?: string
}

type Works = { readonly items: ManifestWork[]; readonly metadata: { readonly continue?: string } }
type PatchType = 'merge-patch' | 'json-patch' | 'strategic-merge-patch'

/** Maestro's own SDK for sources, in a program of its own, for the works of one consumer. */
export class GoMaestroClient {
  readonly #process: ChildProcess
  readonly #pending = new Map<number, (answer: Answer) => void>()
  readonly #watches = new Map<number, WatchEvent[]>()
  #log = ''
  #requests = 0

  private constructor(child: ChildProcess) {
    this.#process = child
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-6_000)
    })
    if (child.stdout !== null) createInterface(child.stdout).on('line', (line) => this.#receive(JSON.parse(line)))
    child.once('exit', () => {
      const error = { message: `the program has ended:\n${this.#log}` }
      for (const [id, resolve] of this.#pending) resolve({ id, error })
    })
  }

  /** Starts it for a test. Resolves when it is connected. */
  static async start(
    t: Pick<TestContext, 'after'>,
    { rest, sources }: Pick<MaestroOfTest, 'rest' | 'sources'>,
    source: string,
    consumer: string,
  ): Promise<GoMaestroClient> {
    const args = [`-rest=${rest}`, `-grpc=${sources}`, `-source=${source}`, `-consumer=${consumer}`]
    const child = spawn(programPath('maestro-client'), args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    afterwards(t, async () => {
      child.kill('SIGKILL')
      await ended
    })
    const client = new GoMaestroClient(child)
    await client.#answer(0)
    return client
  }

  get = (name: string) => this.#ask<ManifestWork>({ verb: 'get', name })
  list = (options: ListOptions = {}) => this.#ask<Works>({ verb: 'list', ...options })
  create = (work: NewManifestWork) => this.#ask<ManifestWork>({ verb: 'create', work })
  delete = (name: string) => this.#ask<object>({ verb: 'delete', name })

  patch(name: string, patch: unknown, type: PatchType = 'merge-patch'): Promise<ManifestWork> {
    return this.#ask({ verb: 'patch', name, patch, patchType: `application/${type}+json` })
  }

  /** Starts a watch and returns the events, which grow as they arrive. */
  async watch(selector = ''): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = []
    this.#watches.set(this.#requests + 1, events)
    await this.#ask({ verb: 'watch', selector })
    return events
  }

  async #ask<T>(request: object): Promise<T> {
    this.#requests += 1
    const id = this.#requests
    const answer = this.#answer(id)
    this.#process.stdin?.write(`${JSON.stringify({ id, ...request })}\n`)
    const { result, error } = await answer
    if (error !== undefined) throw new RefusedError(error)
    return result as T
  }

  #answer(id: number): Promise<Answer> {
    return new Promise((resolve) => this.#pending.set(id, resolve))
  }

  #receive(answer: Answer): void {
    if (answer.event !== undefined) {
      this.#watches.get(answer.id)?.push({ type: answer.event, work: answer.result as ManifestWork })
      return
    }
    this.#pending.get(answer.id)?.(answer)
    this.#pending.delete(answer.id)
  }
}
