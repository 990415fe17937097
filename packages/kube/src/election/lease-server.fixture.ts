import { Lease } from '@orrery/kinds'
import { alreadyExists, conflict, notFound, type StatusError } from '@orrery/kinds/values'
import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'

const LEASES = { group: Lease.group, resource: Lease.plural }

/** The fate of one request. */
export type Fate = 'answered' | 'lost on the way' | 'answer lost' | 'hangs'

/** An API server that holds one lease. */
export class LeaseServer {
  lease: Lease | undefined
  /** How long a request takes to the server, and its response back. */
  travel: () => Promise<void> = () => Promise.resolve()
  #revision = 0

  /** A connection that loses requests as the test decides. */
  connect(fateOf: () => Fate = () => 'answered'): Transport {
    return {
      request: async (request) => {
        const fate = fateOf()
        if (fate === 'hangs') return new Promise(() => undefined)
        await this.travel()
        if (fate === 'lost on the way') throw new Error('connection refused')
        const answer = this.#serve(request)
        await this.travel()
        if (fate === 'answer lost') throw new Error('connection reset')
        return answer
      },
    }
  }

  #serve({ method, body }: HttpRequest): HttpResponse {
    if (method === 'GET') return this.lease === undefined ? failed(notFound(LEASES, 'l')) : answered(this.lease)
    const wanted = JSON.parse(String(body)) as Lease
    if (method === 'POST') return this.lease === undefined ? this.#store(wanted) : failed(alreadyExists(LEASES, 'l'))
    if (this.lease === undefined) return failed(notFound(LEASES, 'l'))
    const isLatest = wanted.metadata.resourceVersion === this.lease.metadata.resourceVersion
    return isLatest ? this.#store(wanted) : failed(conflict(LEASES, 'l', 'the object has been modified'))
  }

  #store(lease: Lease): HttpResponse {
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#revision) } }
    return answered(this.lease)
  }
}

function answered(object: object, status = 200): HttpResponse {
  const bytes = Buffer.from(JSON.stringify(object))
  const body = (async function* () {
    yield bytes
  })()
  return { status, headers: {}, body, bytes: () => Promise.resolve(bytes) }
}

function failed({ status, code }: StatusError): HttpResponse {
  return answered(status, code)
}
