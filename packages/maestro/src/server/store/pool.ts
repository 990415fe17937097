import pg from 'pg'
import type { Query, Statement } from './database.js'
import { gatheringQuery } from './gathering-query.js'
import { JsonArray } from './parameters.js'

const JSON_OIDS: ReadonlySet<number> = new Set([114, 3802])

/** JSON columns as bytes; every other type as node-postgres reads it. */
export const BYTES_OF_JSON: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    JSON_OIDS.has(oid)
      ? (text: string) => Buffer.from(text, 'utf8')
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** What a pool and a client of it have in common. */
type Queryable = Pick<pg.Pool | pg.PoolClient, 'query'>

export function queryOn(target: Queryable): Query {
  return async <Row extends object>(statement: Statement) => {
    const hasParts = statement.values?.some((value) => value instanceof JsonArray) === true
    const query = hasParts ? gatheringQuery(statement) : (statement as pg.QueryConfig)
    return ((await (target as pg.Pool).query(query as pg.QueryConfig)) as unknown as { rows: Row[] }).rows
  }
}

export async function transactionOn<T>(pool: pg.Pool, run: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    await client.query('begin')
    const result = await run(queryOn(client))
    await client.query('commit')
    return result
  } catch (error) {
    failure = error as Error
    // The connection may be what failed. If it can not roll back it is closed, which also rolls back.
    const rolledBack = await client.query('rollback').then(
      () => true,
      () => false,
    )
    if (rolledBack) failure = undefined
    throw error
  } finally {
    client.release(failure)
  }
}
