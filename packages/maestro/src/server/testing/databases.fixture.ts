import { rmSync } from 'node:fs'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Database, openDatabase } from '../store/database.js'
import { migrate } from '../store/migrations.js'
import { type Postgres, startPostgres } from './postgres.fixture.js'

/** An empty database, which the test closes. */
export type OpenDatabase = () => Promise<Database>

/** Of all test files in this process. */
let shared: Promise<Database> | undefined

/** Empties one embedded database for each test: starting another takes seconds. */
export function embeddedDatabases(): OpenDatabase {
  return async () => {
    const isFirst = shared === undefined
    shared ??= embeddedDirectory().then((directory) => openDatabase({ directory }))
    const database = await shared
    if (!isFirst) {
      await database.query({ text: 'drop schema public cascade; create schema public' })
      await migrate(database)
    }
    return { ...database, close: () => Promise.resolve() }
  }
}

let template: Promise<string> | undefined

/** The directory of a new embedded database, removed with this process: creating a database takes seconds, copying it does not. */
export async function embeddedDirectory(): Promise<string> {
  template ??= createTemplate()
  const directory = await temporaryDirectory()
  await cp(await template, directory, { recursive: true })
  return directory
}

async function createTemplate(): Promise<string> {
  const directory = await temporaryDirectory()
  // The runner of the tests has an empty database for all processes.
  const { ORRERY_TEST_DATABASE: empty } = process.env
  if (empty !== undefined) await cp(empty, join(directory, 'postgres'), { recursive: true })
  const database = await openDatabase({ directory })
  await database.close()
  return directory
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'maestro-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Databases of one PostgreSQL server, which is started with the first. */
export function postgresDatabases(): OpenDatabase & { url(): Promise<string> } {
  let server: Promise<Postgres> | undefined
  const stops: (() => Promise<void>)[] = []
  after(() => Promise.all(stops.map((stop) => stop())))
  const url = async () => {
    server ??= startPostgres({ after: (stop) => void stops.push(stop) })
    return (await server).createUrl()
  }
  return Object.assign(async () => openDatabase({ url: await url() }), { url })
}
