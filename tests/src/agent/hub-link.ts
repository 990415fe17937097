import { AGENT_SUBJECT_PREFIX, BOOTSTRAP_GROUP } from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER } from '@orrery/hub'
import { unauthorized } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { type Certificate, parseCertificatePem } from '@orrery/kube/pki'
import { ConnectionError } from '@orrery/kube/transport'
import type { HubServer } from '../hub/hub-server.js'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly user: string
  readonly status: number
  readonly at: Date
}

/**
 * The connection from agents to hubs in the same process, with credentials checked as on a server, and faults on
 * demand.
 */
export class HubLink {
  readonly seen: Seen[] = []
  /** Hubs that are unreachable. */
  readonly down = new Set<string>()
  /** Hubs that accept requests and never complete an answer. */
  readonly stalled = new Set<string>()
  readonly #hubs = new Map<string, HubServer>()
  readonly #watches = new Map<string, Set<AbortController>>()

  add(server: string, hub: HubServer): this {
    this.#hubs.set(server, hub)
    return this
  }

  /** Disconnects a hub: active requests end, and no others get through. */
  cut(server: string): void {
    this.down.add(server)
    for (const watch of this.#watches.get(server) ?? []) watch.abort()
  }

  mend(server: string): void {
    this.down.delete(server)
  }

  /** Requests of agents that the hub rejected. */
  get refused(): Seen[] {
    return this.seen.filter(({ status }) => status === 401 || status === 403)
  }

  readonly connect = (config: ClientConfig): Transport => {
    const hub = this.#hubs.get(config.server)
    if (hub === undefined) throw new Error(`there is no hub at ${config.server}`)
    const credentials = credentialsOf(config)
    return { request: (request) => this.#send(config.server, hub, credentials, request) }
  }

  async #send(server: string, hub: HubServer, who: Credentials, request: HttpRequest): Promise<HttpResponse> {
    const refused = () => new ConnectionError('connection refused', { code: 'ECONNREFUSED', sent: false })
    if (this.down.has(server)) {
      this.#note(request, who, 0, hub.clock)
      throw refused()
    }
    if (this.stalled.has(server)) {
      return new Promise((_, reject) =>
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason as Error)),
      )
    }
    const watch = new AbortController()
    const watches = this.#watches.get(server) ?? new Set()
    this.#watches.set(server, watches.add(watch))
    const now = hub.clock.now()
    const { notBefore = now, notAfter = now } = who.certificate ?? {}
    const isRefused = now < notBefore || now > notAfter
    const { transport } = hub.as(who.user, ...who.groups)
    const response = isRefused
      ? unknownCaller()
      : await transport.request({
          ...request,
          signal: AbortSignal.any([watch.signal, ...(request.signal ? [request.signal] : [])]),
        })
    this.#note(request, who, response.status, hub.clock)
    return response
  }

  #note({ method, path }: HttpRequest, { user }: Credentials, status: number, clock: Clock): void {
    this.seen.push({ method, path, user, status, at: clock.now() })
  }
}

interface Credentials {
  readonly user: string
  readonly groups: readonly string[]
  readonly certificate?: Certificate
}

function credentialsOf({ clientCertificate }: ClientConfig): Credentials {
  if (clientCertificate === undefined || !('text' in clientCertificate)) {
    return { user: BOOTSTRAP_TOKEN_USER, groups: ['system:bootstrappers', BOOTSTRAP_GROUP] }
  }
  const certificate = parseCertificatePem(clientCertificate.text)
  const { commonName, organizations } = certificate.subject
  if (!commonName.startsWith(AGENT_SUBJECT_PREFIX)) throw new Error(`${commonName} is no agent`)
  return { user: commonName, groups: organizations, certificate }
}

/** The response of a server to unknown credentials. */
function unknownCaller(): HttpResponse {
  const bytes = Buffer.from(JSON.stringify(unauthorized('Unauthorized').status))
  return {
    status: 401,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield bytes
    })(),
    bytes: async () => bytes,
  }
}
