import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { serverVersion } from '@orrery/kube/discovery'
import { withTimeLimit } from '@orrery/kube/process'

/** The health of the cluster's API server. */
export type ProbeFinding =
  /** Not known yet, or failing for less than the threshold. */
  | { readonly state: 'unclear' }
  | { readonly state: 'available'; readonly version: string }
  | { readonly state: 'unavailable'; readonly message: string }

export interface ProbeOptions {
  readonly clock: Clock
  /** The time between probes, in milliseconds. */
  readonly period: number
  /** Called when the result changes. */
  readonly onChange: () => void
}

/** A failure is reported when it has lasted this long. */
const FAILURE_THRESHOLD = 20_000
/** The time between probes while it fails. */
const RETRY_INTERVAL = 5_000
/** The timeout of a probe. */
const ANSWER_TIMEOUT = 10_000
const MAX_ANSWER = 1_024

/** Probes the API server of the cluster. */
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

  /** The failure of one probe; undefined if the server is healthy. */
  async #failure(): Promise<string | undefined> {
    try {
      return await withTimeLimit(ANSWER_TIMEOUT, this.#closing.signal, async (signal) => {
        const problem = await this.#ask('/livez', signal)
        if (problem !== undefined) return problem
        const { gitVersion } = await serverVersion(this.#spoke, { signal })
        this.#find({ state: 'available', version: gitVersion })
        return undefined
      })
    } catch (error) {
      return notOk(0, error instanceof Error ? error.message : String(error))
    }
  }

  async #ask(path: '/livez' | '/healthz', signal: AbortSignal): Promise<string | undefined> {
    const { status, bytes } = await answerOf(this.#spoke, path, signal)
    if (status === 200) return undefined
    // Servers before Kubernetes 1.16 have only `/healthz`, and some allow agents only that.
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
