import { silentLogger } from '@orrery/kube/log'
import pg from 'pg'
import type { Database, DatabaseOptions } from './database.js'
import { listen } from './listener.js'
import { BYTES_OF_JSON, queryOn, transactionOn } from './pool.js'

const CONNECT_TIMEOUT_MS = 5_000
/**
 * A server that does not answer is as good as gone. Less than the time that clients wait for a response, so that they get an
 * error. Lists of many bundles are read in small parts.
 */
const QUERY_TIMEOUT_MS = 20_000
const MAX_CONNECTIONS = 10

export function openPostgres(url: string, options: Pick<DatabaseOptions, 'maxConnections' | 'log'>): Promise<Database> {
  const { maxConnections = MAX_CONNECTIONS, log = silentLogger } = options
  const connection: pg.ClientConfig = {
    connectionString: url,
    types: BYTES_OF_JSON,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    // Without it, PostgreSQL continues a query after its client has timed out, and the connection stays busy.
    statement_timeout: QUERY_TIMEOUT_MS,
    application_name: 'orrery-maestro',
  }
  const pool = new pg.Pool({ ...connection, max: maxConnections, idleTimeoutMillis: 60_000 })
  // An idle connection broke. The pool has dropped it: the next query opens another.
  pool.on('error', (error) => log.warn('lost a database connection', { error: error.message }))
  const listeners = new Set<{ close(): Promise<void> }>()
  return Promise.resolve({
    query: queryOn(pool),
    transaction: (run) => transactionOn(pool, run),
    listen(channel, onNotify, onConnected) {
      const listener = listen({ connect: () => new pg.Client(connection), channel, onNotify, onConnected, log })
      listeners.add(listener)
      return {
        async close() {
          listeners.delete(listener)
          await listener.close()
        },
      }
    },
    async close() {
      await Promise.all([...listeners].map((listener) => listener.close()))
      await pool.end()
    },
  } satisfies Database)
}
