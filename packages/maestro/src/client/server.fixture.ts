import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { NewManifestWork } from '@orrery/api'
import type { CloudEvent } from '../codec/cloud-event.js'
import { parseEventType } from '../codec/event-type.js'
import { jsonBytes, newEvent } from '../codec/new-event.js'
import { readSpecEvent } from '../codec/work-events.js'
import { Broker } from '../transport/broker.fixture.js'
import { type MaestroWorkClient, maestroWorkClient } from './client.js'
import type { MaestroClientOptions } from './options.js'

interface Row {
  readonly id: string
  readonly consumer: string
  version: number
  metadata: Record<string, unknown>
  data: Record<string, unknown>
  status?: { SequenceID: string; conditions: object[]; resourceStatus?: object[] }
  deletedAt?: string
}

/** An error of gRPC, as a server sends it. */
export function grpcError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** A Maestro server in memory, whose responses a test can replace. It knows only what the client sends. */
export class FakeMaestro {
  readonly rows = new Map<string, Row>()
  /** `METHOD path` of each request, without the query. */
  readonly requests: string[] = []
  readonly authorizations: (string | undefined)[] = []
  /** Responses for the next requests, instead of the real ones. */
  readonly responses: { readonly status: number; readonly body?: object; readonly headers?: Record<string, string> }[] =
    []
  /** Errors for the next publications. */
  readonly refusals: Error[] = []
  /** Stores the publication and then throws, as if the acknowledgement was lost. */
  readonly lost: Error[] = []
  publications = 0
  broker!: Broker
  url!: string
  #sequence = 1n << 40n
  readonly #t: TestContext

  private constructor(t: TestContext) {
    this.#t = t
  }

  static async start(t: TestContext): Promise<FakeMaestro> {
    const fake = new FakeMaestro(t)
    const server = createServer((request, response) => fake.#respond(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    fake.broker = await Broker.start(t, { onPublish: (event) => fake.#store(event) })
    return fake
  }

  client(options: Partial<MaestroClientOptions> = {}): MaestroWorkClient {
    const retry = { firstMilliseconds: 1, maxMilliseconds: 4 }
    const client = maestroWorkClient({ apiUrl: this.url, grpcUrl: this.broker.url, sourceId: 's', retry, ...options })
    this.#t.after(() => client.close())
    return client
  }

  async restartBroker(): Promise<void> {
    this.broker = await Broker.start(this.#t, { port: this.broker.port, onPublish: (event) => this.#store(event) })
  }

  row(name: string): Row {
    const found = [...this.rows.values()].find(({ metadata }) => metadata.name === name)
    if (found === undefined) throw new Error(`no work ${name}`)
    return found
  }

  /** Sets a status as an agent does, and reports it. */
  report(name: string, conditions: object[], resourceStatus: object[] = []): void {
    const row = this.row(name)
    this.#sequence += 1n << 22n
    row.status = { SequenceID: String(this.#sequence), conditions, resourceStatus }
    this.broker.send(this.statusEvent(row))
  }

  statusEvent({ id, consumer, version, metadata, data, status }: Row): CloudEvent {
    return newEvent({
      source: `${consumer}-work-agent`,
      subResource: 'status',
      action: 'update_request',
      extensions: {
        clustername: consumer,
        resourceid: id,
        resourceversion: version,
        sequenceid: status?.SequenceID ?? '',
        metadata: JSON.stringify(metadata),
      },
      data: jsonBytes({ manifestBundle: data, ...status }),
    })
  }

  #store(event: CloudEvent): void {
    this.publications += 1
    const refusal = this.refusals.shift()
    if (refusal !== undefined) throw refusal
    const message = readSpecEvent(event)
    const row = this.rows.get(message.resourceId)
    const action = parseEventType(event.type)?.action
    if (action === 'create_request' && row !== undefined) throw grpcError(2, 'maestro-6: This Resource already exists')
    if (action === 'update_request' && row?.version !== message.resourceVersion) {
      throw grpcError(2, 'maestro-6: the resource version is not the latest, the latest version: 9')
    }
    if (action === 'delete_request') {
      if (row !== undefined) row.deletedAt = '2026-01-02T00:00:00Z'
    } else {
      this.rows.set(message.resourceId, {
        id: message.resourceId,
        consumer: message.clusterName,
        version: (row?.version ?? 0) + 1,
        metadata: { creationTimestamp: '2026-01-01T00:00:00Z', ...message.metadata },
        data: JSON.parse(Buffer.from(event.data ?? []).toString()),
      })
    }
    const lost = this.lost.shift()
    if (lost !== undefined) throw lost
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    this.requests.push(`${request.method} ${pathname}`)
    this.authorizations.push(request.headers.authorization)
    const send = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    const replaced = this.responses.shift()
    if (replaced !== undefined) return void send(replaced.status, replaced.body, replaced.headers)
    const [, , , , collection, id] = pathname.split('/')
    if (collection !== 'resource-bundles') return void send(404, { code: 'maestro-404', reason: 'no such path' })
    const row = this.rows.get(id ?? '')
    if (id !== undefined) {
      return void (row ? send(200, bundle(row)) : send(404, { code: 'maestro-7', reason: 'Resource not found' }))
    }
    const after = /id>'([^']+)'/.exec(searchParams.get('search') ?? '')?.[1] ?? ''
    const rows = [...this.rows.values()].filter((one) => one.id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
    send(200, { items: rows.slice(0, Number(searchParams.get('size'))).map(bundle) })
  }
}

function bundle({ id, consumer, version, metadata, data, status, deletedAt }: Row): object {
  return {
    id,
    version,
    consumer_name: consumer,
    metadata: { ...metadata, ...(deletedAt !== undefined && { deletionTimestamp: deletedAt }) },
    manifests: data.manifests,
    delete_option: {},
    manifest_configs: [],
    ...(status !== undefined && { status: { ObservedVersion: version, ...status } }),
  }
}

export function newWork(name: string, labels: Record<string, string> = {}): NewManifestWork {
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'settings' } }
  return { metadata: { name, labels }, spec: { workload: { manifests: [manifest] } } }
}
