import type { IncomingMessage, ServerResponse } from 'node:http'
import { failure, noSuchPath } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { Logger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import { type Listener, reviewAccess, reviewUser, type Serve, startProbeServer } from '@orrery/kube/serving'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'

export interface LocalApiOptions {
  /** Reviews access to everything but health. */
  readonly client: KubeClient
  readonly address: string
  readonly port: number
  readonly log: Logger
  readonly metrics: MetricRegistry
  /** Why the agent cannot take operations; empty if it can. */
  readonly readiness: () => readonly string[]
  /** Replies by path, for everybody. */
  readonly open: Readonly<Record<string, () => object>>
  /** Replies by path, for users who may `get` it. */
  readonly views: Readonly<Record<string, () => object>>
  /** What `POST` does by path, for users who may `post` to it. */
  readonly actions: Readonly<Record<string, () => Promise<object>>>
}

/**
 * The agent's own API, over TLS with a self-signed certificate: `/health/live`, `/health/ready`, `/health/status` and
 * `/health` for everybody; `/metrics`, `/status` and `/debug/…` for those whom the cluster's RBAC allows these paths.
 */
export class LocalApi implements Component {
  readonly name = 'local-api'
  readonly #options: LocalApiOptions
  #listener: Listener | undefined

  constructor(options: LocalApiOptions) {
    this.#options = options
  }

  /** The port it listens on; 0 before it does. */
  get port(): number {
    return this.#listener?.port ?? 0
  }

  async start(): Promise<void> {
    const { client, address, port, log, metrics } = this.#options
    const serve: Serve = (path, request, response) => this.#serve(path, request, response)
    const routes = ['/health', '/status', '/debug/'].map((prefix) => ({ prefix, serve }))
    this.#listener = await startProbeServer({ client, host: address, port, log, metrics, checks: {}, routes })
  }

  async stop(): Promise<void> {
    await this.#listener?.close()
    this.#listener = undefined
  }

  health(): ComponentHealth {
    return HEALTHY
  }

  async #serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { client, readiness, open, views, actions } = this.#options
    const { method = 'GET' } = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && path === '/health/live') return send(response, 200, { status: 'alive' })
    if (isRead && path === '/health/ready') {
      const problems = readiness()
      return send(response, problems.length === 0 ? 200 : 503, { ready: problems.length === 0, problems })
    }
    if (isRead && open[path] !== undefined) return send(response, 200, open[path]())
    const reply = isRead ? views[path] : method === 'POST' ? actions[path] : undefined
    if (reply === undefined) throw noSuchPath()
    const user = await reviewUser(client, request.headers.authorization)
    const verb = isRead ? 'get' : 'post'
    const { allowed } = await reviewAccess(client, user, { nonResourceAttributes: { path, verb } })
    if (!allowed)
      throw failure(403, 'Forbidden', `User ${JSON.stringify(user.username ?? '')} cannot ${verb} path "${path}"`)
    send(response, 200, await reply())
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body, undefined, 2)}\n`)
}
