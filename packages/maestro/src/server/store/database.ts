import type { Logger } from '@orrery/kube/log'

/** The bytes of a JSON text. They are kept and sent as they came, and parsed only where a rule needs a value. */
export type Json = Buffer

export interface Statement {
  /** Statements with a name are parsed and planned once for each connection. */
  readonly name?: string
  readonly text: string
  /** A Buffer is sent as it is: JSON text. Arrays of JSON are made by `parameters.ts`. */
  readonly values?: readonly unknown[]
}

/** Columns of the types json and jsonb are read as Buffers. */
export type Query = <Row extends object>(statement: Statement) => Promise<Row[]>

export interface Subscription {
  close(): Promise<void>
}

/** PostgreSQL, on a server or embedded. Both run the same statements. */
export interface Database {
  readonly query: Query
  /** Commits when `run` resolves, and rolls back when it rejects. */
  transaction<T>(run: (query: Query) => Promise<T>): Promise<T>
  /**
   * Follows a notification channel, and connects again after a lost connection. Notifications in between are lost:
   * `onConnected` is called each time when listening has begun, so that the caller can catch up.
   */
  listen(channel: string, onNotify: (payload: string) => void, onConnected: () => void): Subscription
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** `postgres://user:password@host/database` of a server. Without it, PostgreSQL runs in this process. */
  readonly url?: string
  /** Directory of the embedded database. Default: it is kept in memory. */
  readonly directory?: string
  /** Connections to the server. Default 10. */
  readonly maxConnections?: number
  readonly log?: Logger
}

/** Opens the database and brings its tables up to date. */
export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  const { url, directory } = options
  if (url !== undefined && directory !== undefined) {
    throw new Error('a database has a url or a directory, not both: remove one of them')
  }
  // Loaded on demand: most users need one of the two.
  const database =
    url === undefined
      ? await (await import('./embedded.js')).openEmbedded(directory)
      : await (await import('./postgres.js')).openPostgres(url, options)
  try {
    const { migrate } = await import('./migrations.js')
    await migrate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}
