import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { Database, Query, Statement } from './database.js'

const [JSON_OID, JSONB_OID, JSON_ARRAY_OID] = [114, 3802, 199]
const bytesOf = (text: string) => Buffer.from(text, 'utf8')
/** JSON is read and written as bytes, as on a server. */
const OPTIONS = {
  parsers: { [JSON_OID]: bytesOf, [JSONB_OID]: bytesOf },
  serializers: { [JSON_OID]: (value: string) => value, [JSON_ARRAY_OID]: (value: string) => value },
}

/** Opens PGlite, which is PostgreSQL in this process. It has a single session: queries wait for each other. */
export async function openEmbedded(directory?: string): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  const embedded: PGlite = await PGlite.create(directory ?? 'memory://')
  return {
    query: queryOn(embedded),
    transaction: (run) => embedded.transaction((transaction) => run(queryOn(transaction))),
    listen(channel, onNotify, onConnected) {
      const listening = embedded.listen(channel, onNotify)
      listening.then(onConnected, () => undefined)
      return { close: async () => (await listening)() }
    },
    close: () => embedded.close(),
  }
}

function queryOn(target: PGlite | Transaction): Query {
  return async <Row extends object>({ text, values }: Statement) => {
    if (values !== undefined) return (await target.query<Row>(text, [...values], OPTIONS)).rows
    const results = await target.exec(text, OPTIONS)
    return (results.at(-1)?.rows ?? []) as Row[]
  }
}
