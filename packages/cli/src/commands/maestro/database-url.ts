import { readFileSync } from 'node:fs'
import { fileProblemOf } from '../../system-error.js'
import type { ServerOptions } from './server-options.js'

/** The URL of PostgreSQL, from `--db-url` or from Maestro's files; undefined for the embedded database. */
export function databaseUrl(options: ServerOptions): string | undefined {
  const { dbUrl, dbHostFile, dbPortFile, dbUserFile, dbPasswordFile, dbNameFile, dbSslmode, dbRootcert } = options
  if (dbUrl !== undefined && dbHostFile !== undefined) {
    throw new Error('use --db-url or --db-host-file, not both: they name a database')
  }
  if (dbUrl !== undefined) return withTls(validUrl(dbUrl), dbSslmode, dbRootcert)
  const alone = Object.entries({ dbPortFile, dbUserFile, dbPasswordFile, dbNameFile }).find(
    ([, file]) => file !== undefined,
  )
  if (dbHostFile === undefined && alone !== undefined) {
    throw new Error('the files of the database need --db-host-file as well')
  }
  if (dbHostFile === undefined) return undefined
  const url = new URL('postgres://localhost')
  url.hostname = textIn(dbHostFile)
  if (dbPortFile !== undefined) url.port = textIn(dbPortFile)
  if (dbUserFile !== undefined) url.username = encodeURIComponent(textIn(dbUserFile))
  if (dbPasswordFile !== undefined) url.password = encodeURIComponent(textIn(dbPasswordFile))
  if (dbNameFile !== undefined) url.pathname = `/${encodeURIComponent(textIn(dbNameFile))}`
  return withTls(url, dbSslmode, dbRootcert)
}

/** The error does not contain the URL, which has a password. */
function validUrl(text: string): URL {
  if (!URL.canParse(text) || !/^postgres(ql)?:/.test(text)) {
    throw new Error('--db-url is not a URL of PostgreSQL: use postgres://user:password@host:port/database')
  }
  return new URL(text)
}

function withTls(url: URL, mode: string, rootCertificate: string | undefined): string {
  if (mode !== 'disable') url.searchParams.set('sslmode', mode === 'require' ? 'no-verify' : mode)
  if (rootCertificate !== undefined) url.searchParams.set('sslrootcert', rootCertificate)
  return url.toString()
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot read ${file}: ${fileProblemOf(error)?.why ?? (error as Error).message}`)
  }
}
