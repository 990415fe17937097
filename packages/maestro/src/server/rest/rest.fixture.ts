import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { Access } from '../access/access.js'
import { openAccess } from '../access/checks.js'
import { bundlesIn } from '../store/bundles.js'
import { type Consumers, consumersIn } from '../store/consumers.js'
import type { Database } from '../store/database.js'
import type { OpenDatabase } from '../testing/databases.fixture.js'
import { serveRest } from './rest.js'

export interface RestServer {
  readonly url: string
  readonly database: Database
  readonly consumers: Consumers
  readonly metrics: MetricRegistry
  /** The ids that were deleted. */
  readonly deleted: string[]
  /** The ids of consumers that were deleted with force. */
  readonly forced: string[]
  get(path: string): Promise<Reply>
  send(method: string, path: string, body?: unknown): Promise<Reply>
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes.
  readonly body: any
}

/** The REST API on a port of its own, over an empty database. */
export async function startRest(t: TestContext, open: OpenDatabase, access: Access = openAccess): Promise<RestServer> {
  const database = await open()
  const metrics = new MetricRegistry()
  const deleted: string[] = []
  const consumers = consumersIn(database)
  const forced: string[] = []
  const backend = {
    consumers: {
      ...consumers,
      delete: async (id: string, { force }: { force: boolean }) => (force ? forced.push(id) : consumers.delete(id)),
    },
    bundles: { ...bundlesIn(database), delete: async (id: string) => void deleted.push(id) },
  }
  const serve = serveRest({ backend, access, metrics, log: silentLogger })
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await database.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const send = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const response = await fetch(`${url}/api/maestro${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  return { url, database, consumers, metrics, deleted, forced, get: (path) => send('GET', path), send }
}

export interface BundleFields {
  readonly id: string
  readonly consumer?: string
  readonly source?: string
  readonly version?: number
  readonly metadata?: object
  readonly manifests?: unknown
  readonly deletedAt?: string
  readonly conditions?: unknown
}

export async function insertBundle(database: Database, fields: BundleFields): Promise<void> {
  const { id, consumer = 'c1', source = 's1', version = 1, metadata = { name: id }, manifests = [] } = fields
  const status = fields.conditions === undefined ? undefined : JSON.stringify(fields.conditions)
  await database.query({
    text: `insert into resources (id, source, consumer_name, version, metadata, manifests, created_at, updated_at,
        deleted_at, status_version, status_sequence, status_hash, status_conditions)
      values ($1, $2, $3, $4, $5::jsonb, $6::json, '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', $7, $8, $9, $10, $11::json)`,
    values: [
      id,
      source,
      consumer,
      version,
      JSON.stringify(metadata),
      typeof manifests === 'string' ? manifests : JSON.stringify(manifests),
      fields.deletedAt ?? null,
      ...(status === undefined ? [null, null, null, null] : [version, '1834773391719010304', 'abc', status]),
    ],
  })
}
