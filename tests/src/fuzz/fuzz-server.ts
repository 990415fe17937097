import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { createLogger } from '@orrery/kube'
import type { HttpRequest, KubeClient } from '@orrery/kube/client'
import { MAX_CPU_MS, TIMEOUT_MS } from './settings.js'

/** 5xx codes that are true about the request or the server, and no defect. */
const HONEST_5XX: ReadonlySet<number> = new Set([501, 503, 504, 507])

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** A server in the process, with checks of its health. */
export class FuzzServer {
  readonly server: ApiServer
  readonly client: KubeClient
  readonly #errors: string[]

  private constructor(server: ApiServer, errors: string[]) {
    this.server = server
    this.client = server.client()
    this.#errors = errors
  }

  static async start(t: Pick<TestContext, 'after'>): Promise<FuzzServer> {
    const errors: string[] = []
    const log = createLogger({ level: 'error', write: (line) => void errors.push(line) })
    const server = await startApiServer({ host: false, log })
    t.after(() => server.close())
    return new FuzzServer(server, errors)
  }

  /** The latest revision: it changes with every change of state. */
  async revision(): Promise<string> {
    const list = await this.client.getJson<{ metadata: { resourceVersion: string } }>('/api/v1/namespaces?limit=1')
    return list.metadata.resourceVersion
  }

  /** Waits until a collection is served. */
  async served(path: string): Promise<void> {
    await this.#until(path, (status) => status === 200)
  }

  /** Waits until an object is deleted. */
  async gone(path: string): Promise<void> {
    await this.#until(path, (status) => status === 404)
  }

  async #until(path: string, holds: (status: number) => boolean): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS
    while (!holds((await this.send({ method: 'GET', path })).status)) {
      assert.ok(Date.now() < deadline, `${path} did not change in time`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Sends a request and checks that the response is valid: cheap, a Status if it is an error, no 500. */
  async send(request: HttpRequest): Promise<Answer> {
    const stop = new AbortController()
    let slow: NodeJS.Timeout | undefined
    const start = process.cpuUsage()
    const late = new Promise<never>((_resolve, reject) => {
      slow = setTimeout(() => reject(new Error(`no answer in time\n${describe(request)}`)), TIMEOUT_MS)
    })
    try {
      const response = await Promise.race([this.client.raw({ ...request, signal: stop.signal }), late])
      const isWatch = response.status === 200 && /[?&]watch=|^[^?]*\/watch\//.test(request.path)
      const body = isWatch ? Buffer.alloc(0) : await Promise.race([response.bytes(), late])
      const { user, system } = process.cpuUsage(start)
      assert.ok(user + system < MAX_CPU_MS * 1_000, `${(user + system) / 1_000} ms of CPU time\n${describe(request)}`)
      this.#check(request, response.status, response.headers['content-type'], body)
      return { status: response.status, body }
    } finally {
      clearTimeout(slow)
      stop.abort()
    }
  }

  #check(request: HttpRequest, status: number, type: unknown, body: Buffer): void {
    if (status < 400) return
    const shown = () =>
      `${status} ${body.toString('utf8').slice(0, 500)}\n${this.#errors.at(-1) ?? ''}\n${describe(request)}`
    assert.ok(status < 500 || HONEST_5XX.has(status), shown())
    if (type !== 'application/json' || request.method === 'HEAD') return
    const answer = JSON.parse(body.toString('utf8')) as { kind?: string; code?: number; status?: string }
    assert.deepEqual([answer.kind, answer.code, answer.status], ['Status', status, 'Failure'], shown())
  }
}

/** Enough of a request to send it again. */
function describe({ method, path, headers, body }: HttpRequest): string {
  const text = typeof body === 'string' ? body : body?.toString('latin1')
  return `${method} ${path} ${JSON.stringify(headers ?? {})}\n${text?.slice(0, 4000) ?? ''}`
}
