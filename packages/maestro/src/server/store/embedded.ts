import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { PGlite, Transaction } from '@electric-sql/pglite'
import { claimDirectory } from '@orrery/kube/process'
import type { Database, Query, Statement } from './database.js'
import { JsonArray } from './parameters.js'

const [BIGINT_OID, JSON_OID, JSONB_OID, JSON_ARRAY_OID] = [20, 114, 3802, 199]
const bytesOf = (text: string) => Buffer.from(text, 'utf8')
const textOf = (text: string) => text
/** JSON is read and written as bytes, and 64-bit numbers are read as text, as on a server. */
const OPTIONS = {
  parsers: { [BIGINT_OID]: textOf, [JSON_OID]: bytesOf, [JSONB_OID]: bytesOf },
  serializers: { [JSON_OID]: (value: string) => value, [JSON_ARRAY_OID]: (value: string) => value },
}

/** Opens PGlite, which is PostgreSQL in this process. It has a single session: queries wait for each other. */
export async function openEmbedded(directory?: string): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite')
  const release = directory === undefined ? () => undefined : await claimed(directory)
  const embedded: PGlite = await PGlite.create(directory === undefined ? 'memory://' : join(directory, 'postgres'))
  return {
    query: queryOn(embedded),
    transaction: (run) => embedded.transaction((transaction) => run(queryOn(transaction))),
    listen(channel, onNotify, onConnected) {
      const listening = embedded.listen(channel, onNotify)
      listening.then(onConnected, () => undefined)
      return { close: async () => (await listening)() }
    },
    async close() {
      await embedded.close()
      release()
    },
  }
}

/** Two processes would destroy the files of each other. */
async function claimed(directory: string): Promise<() => void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return claimDirectory(directory, {
    prefix: 'in-use-by-',
    inUse: (pid) =>
      new Error(`process ${pid} uses the database in ${directory}: stop it, or use PostgreSQL for several instances`),
  })
}

function queryOn(target: PGlite | Transaction): Query {
  return async <Row extends object>({ text, values }: Statement) => {
    const result =
      values === undefined
        ? (await target.exec(text, OPTIONS)).at(-1)
        : await target.query<Row>(text, values.map(joined), OPTIONS)
    // Queries run in this thread: without a turn, many of them would keep it from reading what clients send.
    await turn()
    return (result?.rows ?? []) as Row[]
  }
}

const joined = (value: unknown) => (value instanceof JsonArray ? Buffer.concat(value.parts, value.length) : value)
