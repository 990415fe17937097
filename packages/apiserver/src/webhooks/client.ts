import { Agent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { posix } from 'node:path'
import type { WebhookClientConfig } from '@orrery/kinds/admissionregistration'
import type { Clock } from '@orrery/kube/clock'
import { turns } from '../fairness/turns.js'
import { parseJson } from '../json/parse.js'
import { describeFailure, WebhookCallFailure } from './call-failure.js'
import type { ResolveService, ServiceAddress } from './services.js'

export interface WebhookClientOptions {
  readonly clock: Clock
  /** Returns the address of a Service; it takes precedence. */
  readonly resolveService?: ResolveService | undefined
  /** Returns the address of other Services. Throws an `Error` with the reason if a Service is unreachable. */
  readonly findService: (namespace: string, name: string, port: number) => ServiceAddress
}

interface Target {
  readonly url: URL
  /** The URL in error messages: for a Service with its port, even if it is the default. */
  readonly shown: string
  /** The address to connect to; the URL has the expected host name. */
  readonly address: ServiceAddress
  readonly ca: string | undefined
}

interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
}

const HTTPS_PORT = 443
const USER_AGENT = 'kube-apiserver-admission'
const MAX_AGENTS = 64
/** The maximum size of a response. */
const MAX_ANSWER = 16 * 1024 * 1024
/** Connections that are idle for this long are closed, also those of a dropped agent. */
const IDLE_MS = 90_000
const AGENT_OPTIONS = { keepAlive: true, maxSockets: 128, scheduling: 'lifo', timeout: IDLE_MS } as const
/** A larger response is parsed in its turn: several could keep the event loop busy one after the other. */
const LARGE_ANSWER = 256 * 1024
/** The maximum length of an error page in messages. */
const MAX_EXCERPT = 2_048

/** Posts JSON to webhooks over HTTPS. Connections are reused. */
export class WebhookClient {
  readonly #options: WebhookClientOptions
  /** By host name and CA bundle, the least recently used first. */
  readonly #agents = new Map<string, Agent>()

  constructor(options: WebhookClientOptions) {
    this.#options = options
  }

  /** Sends a review and returns the parsed response, with at most `maxValues` values. Throws `WebhookCallFailure`. */
  async post(config: WebhookClientConfig, body: unknown, timeoutSeconds: number, maxValues: number): Promise<unknown> {
    const target = this.#target(config, `timeout=${timeoutSeconds}s`)
    const fail = (why: string) => new WebhookCallFailure(`Post ${JSON.stringify(target.shown)}: ${why}`)
    const answer = await this.#exchange(target, Buffer.from(JSON.stringify(body)), timeoutSeconds, fail)
    if (answer.status < 200 || answer.status > 299)
      throw new WebhookCallFailure(describeStatus(answer.status, answer.body))
    if (answer.body.length === 0) {
      const what = `status code: ${answer.status} and content type: ${answer.contentType}`
      throw new WebhookCallFailure(`0-length response with ${what}`)
    }
    if (answer.body.length > LARGE_ANSWER) await turns.take(target.url.host)
    try {
      return parseJson(answer.body, undefined, maxValues).value
    } catch (error) {
      throw new WebhookCallFailure(error instanceof Error ? error.message : String(error))
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  #target({ url = '', service, caBundle = '' }: WebhookClientConfig, query: string): Target {
    const ca = caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8')
    if (service === undefined) {
      if (!URL.canParse(url)) throw new WebhookCallFailure('webhook configuration must have either service or URL')
      const parsed = new URL(url)
      parsed.pathname = tidyPath(parsed.pathname)
      parsed.search = query
      const host = parsed.hostname.replace(/^\[|\]$/g, '')
      return { url: parsed, shown: parsed.href, address: { host, port: Number(parsed.port) || HTTPS_PORT }, ca }
    }
    const { namespace, name, path = '', port = HTTPS_PORT } = service
    const parsed = new URL(`https://${name}.${namespace}.svc:${port}`)
    parsed.pathname = tidyPath(path)
    parsed.search = query
    const shown = `https://${parsed.hostname}:${port}${parsed.pathname}${parsed.search}`
    try {
      const { resolveService, findService } = this.#options
      const address = resolveService?.(namespace, name, port) ?? findService(namespace, name, port)
      return { url: parsed, shown, address, ca }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new WebhookCallFailure(`Post ${JSON.stringify(shown)}: ${why}`)
    }
  }

  #exchange(
    { url, address, ca }: Target,
    body: Buffer,
    timeoutSeconds: number,
    fail: (why: string) => Error,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const agent = this.#agentFor(`${address.host}:${address.port} ${url.hostname} ${ca ?? ''}`)
      const request = httpsRequest({
        agent,
        host: address.host,
        port: address.port,
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          accept: 'application/json',
          'content-length': body.length,
        },
        ...(isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: url.hostname }),
        // A bundle may contain the certificate of the webhook instead of its issuer: it is trusted.
        ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
      })
      const cancel = this.#options.clock.after(timeoutSeconds * 1000, () => {
        settle(() => reject(fail('context deadline exceeded')))
        request.destroy()
      })
      let settled = false
      const settle = (how: () => void) => {
        if (settled) return
        settled = true
        cancel()
        how()
      }
      request.on('error', (error) =>
        settle(() => reject(fail(describeFailure(error, `${address.host}:${address.port}`)))),
      )
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          size += chunk.length
          if (size <= MAX_ANSWER) return
          settle(() => reject(fail(`the response is larger than ${MAX_ANSWER} bytes`)))
          request.destroy()
        })
        response.on('error', (error) => settle(() => reject(fail(error.message))))
        response.on('close', () => settle(() => reject(fail('unexpected EOF'))))
        response.on('end', () =>
          settle(() =>
            resolve({
              status: response.statusCode ?? 0,
              contentType: response.headers['content-type'] ?? 'application/json',
              body: Buffer.concat(chunks),
            }),
          ),
        )
      })
      request.end(body)
    })
  }

  #agentFor(key: string): Agent {
    const agent = this.#agents.get(key) ?? new Agent(AGENT_OPTIONS)
    this.#agents.delete(key)
    this.#agents.set(key, agent)
    if (this.#agents.size > MAX_AGENTS) {
      const [oldest] = this.#agents
      if (oldest !== undefined) this.#agents.delete(oldest[0])
    }
    return agent
  }
}

/** Removes doubled and trailing slashes from the path, for webhooks that route by path. */
function tidyPath(path: string): string {
  const joined = posix.join('/', path)
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined
}

/** The messages of client-go for statuses whose response body is not repeated. */
const STATUS_WORDS: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [504, 'the server was unable to return a response in the time allotted, but may still be processing the request'],
])
/** Statuses whose response body describes the missing permission or type, which client-go repeats. */
const REPEATED: ReadonlySet<number> = new Set([403, 406, 415])

/** A redirect is an error: following it would let a webhook redirect the server anywhere. */
function describeStatus(status: number, body: Buffer): string {
  const known = STATUS_WORDS.get(status)
  if (known !== undefined) return known
  const text = body.subarray(0, MAX_EXCERPT).toString('utf8').trim() || 'unknown'
  if (REPEATED.has(status)) return text
  if (status >= 500) return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`
  return `the server responded with the status code ${status} but did not return more information`
}
