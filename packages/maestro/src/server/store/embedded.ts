import type { Database } from './database.js'
import { BYTES_OF_JSON, queryOn, transactionOn } from './pool.js'

/** Opens PGlite, which is PostgreSQL in this process, with the client that servers are used with. */
export async function openEmbedded(directory?: string): Promise<Database> {
  const [{ PGlite }, { createPgConfig }, { default: pg }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/node-postgres'),
    import('pg'),
  ])
  const embedded = await PGlite.create(directory ?? 'memory://')
  // It has a single session: queries wait for each other.
  const pool = new pg.Pool({ ...(createPgConfig(embedded) as object), types: BYTES_OF_JSON, max: 1 })
  return {
    query: queryOn(pool),
    transaction: (run) => transactionOn(pool, run),
    listen(channel, onNotify, onConnected) {
      const listening = embedded.listen(channel, onNotify)
      listening.then(onConnected, () => undefined)
      return { close: async () => (await listening)() }
    },
    async close() {
      await pool.end()
      await embedded.close()
    },
  }
}
