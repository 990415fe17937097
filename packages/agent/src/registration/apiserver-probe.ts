import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { serverVersion } from '@orrery/kube/discovery'

/** How the API server of the cluster fares. */
export type ProbeFinding =
  /** Not known, or failing for too short a time to say. */
  | { readonly state: 'unclear' }
  | { readonly state: 'available'; readonly version: string }
  | { readonly state: 'unavailable'; readonly message: string }

export interface ProbeOptions {
  readonly clock: Clock
  /** From one look to the next, in milliseconds. */
  readonly period: number
  /** Hears of every other finding. */
  readonly onChange: () => void
}

/** A failure has to last so long to count, */
const FAILURE_THRESHOLD = 20_000
/** and is looked at again so often until then. */
const RETRY_INTERVAL = 5_000
/** An answer that takes longer is none. */
const ANSWER_TIMEOUT = 10_000
const MAX_ANSWER = 1_024

/** Asks the API server of the cluster again and again whether it is well. */
export class ApiServerProbe {
  readonly #spoke: KubeClient
  readonly #options: ProbeOptions
  readonly #closing = new AbortController()
  #finding: ProbeFinding = { state: 'unclear' }
  /** Since when it fails, in elapsed time. */
  #failingSince: number | undefined
  #cancel: () => void = () => undefined
  #looking: Promise<void>

  constructor(spoke: KubeClient, options: ProbeOptions) {
    this.#spoke = spoke
    this.#options = options
    this.#looking = this.#look()
  }

  get finding(): ProbeFinding {
    return this.#finding
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#cancel()
    await this.#looking
  }

  async #look(): Promise<void> {
    const { clock, period } = this.#options
    const failure = await this.#failure()
    if (this.#closing.signal.aborted) return
    if (failure === undefined) this.#failingSince = undefined
    else this.#judge(failure, clock.elapsed())
    const isDoubtful = failure !== undefined && this.#finding.state !== 'unavailable'
    this.#cancel = clock.after(isDoubtful ? Math.min(RETRY_INTERVAL, period) : period, () => {
      this.#looking = this.#look()
    })
  }

  /** What is wrong; undefined when nothing is, and the finding says so. */
  async #failure(): Promise<string | undefined> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ANSWER_TIMEOUT)])
    try {
      const problem = await this.#ask('/livez', signal)
      if (problem !== undefined) return problem
      const { gitVersion } = await serverVersion(this.#spoke, { signal })
      this.#find({ state: 'available', version: gitVersion })
      return undefined
    } catch (error) {
      return notOk(0, error instanceof Error ? error.message : String(error))
    }
  }

  async #ask(path: '/livez' | '/healthz', signal: AbortSignal): Promise<string | undefined> {
    const { status, bytes } = await answerOf(this.#spoke, path, signal)
    if (status === 200) return undefined
    // Servers before Kubernetes 1.16 know only the other, and some let agents see only that.
    if (path === '/livez' && (status === 404 || status === 403)) return this.#ask('/healthz', signal)
    return notOk(status, bytes.toString('utf8').slice(0, MAX_ANSWER))
  }

  #judge(message: string, now: number): void {
    this.#failingSince ??= now
    const lasts = now - this.#failingSince
    this.#find(lasts >= FAILURE_THRESHOLD ? { state: 'unavailable', message } : { state: 'unclear' })
  }

  #find(finding: ProbeFinding): void {
    const isNews = JSON.stringify(finding) !== JSON.stringify(this.#finding)
    this.#finding = finding
    if (isNews) this.#options.onChange()
  }
}

async function answerOf(client: KubeClient, path: string, signal: AbortSignal) {
  const response = await client.raw({ method: 'GET', path, signal })
  return { status: response.status, bytes: await response.bytes() }
}

function notOk(status: number, detail: string): string {
  return `The kube-apiserver is not ok, status code: ${status}, ${detail}`
}
