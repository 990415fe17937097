import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { HubClient } from './hub-client.js'
import { DEFAULT_RETRY } from './retry.js'

export interface Reply {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A hub that replies as the test says. An `Error` breaks the connection; `never` does not reply. */
export class ScriptedHub implements Transport {
  readonly requests: HttpRequest[] = []
  reply: (request: HttpRequest, count: number) => Reply | Error | 'never' = () => ({ status: 200, body: {} })

  async request(request: HttpRequest): Promise<HttpResponse> {
    this.requests.push(request)
    const reply = this.reply(request, this.requests.length)
    if (reply === 'never') {
      await new Promise((_, reject) => request.signal?.addEventListener('abort', () => reject(request.signal?.reason)))
    }
    if (reply instanceof Error) throw reply
    const { status = 200, body, headers = {} } = reply as Reply
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    return {
      status,
      headers,
      body: (async function* () {
        yield bytes
      })(),
      bytes: async () => bytes,
    }
  }
}

export function clientOf(transport: Transport, clock: Clock): HubClient {
  return new HubClient({
    transport,
    agentId: 'agent-1',
    clusterId: 'cluster-01',
    zoneId: 'zone-1',
    version: '1.0.0',
    timeoutMs: () => 30_000,
    retry: () => DEFAULT_RETRY,
    clock,
    random: () => 0.5,
  })
}
