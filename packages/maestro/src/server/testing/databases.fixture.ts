import { after } from 'node:test'
import { type Database, openDatabase } from '../store/database.js'
import { migrate } from '../store/migrations.js'
import { type PostgresServer, startPostgres } from './postgres.fixture.js'

/** An empty database, which the test closes. */
export type OpenDatabase = () => Promise<Database>

/** Empties one embedded database for each test: starting another takes seconds. */
export function embeddedDatabases(): OpenDatabase {
  let shared: Promise<Database> | undefined
  after(async () => (await shared)?.close())
  return async () => {
    const isFirst = shared === undefined
    shared ??= openDatabase()
    const database = await shared
    if (!isFirst) {
      await database.query({ text: 'drop schema public cascade; create schema public' })
      await migrate(database)
    }
    return { ...database, close: () => Promise.resolve() }
  }
}

/** Databases of one PostgreSQL server, which is started with the first. */
export function postgresDatabases(): OpenDatabase & { url(): Promise<string> } {
  let server: Promise<PostgresServer> | undefined
  const stops: (() => Promise<void>)[] = []
  after(() => Promise.all(stops.map((stop) => stop())))
  const url = async () => {
    server ??= startPostgres({ after: (stop) => void stops.push(stop) })
    return (await server).createDatabase()
  }
  return Object.assign(async () => openDatabase({ url: await url() }), { url })
}
