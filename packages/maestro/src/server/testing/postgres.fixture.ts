import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const VERSIONS = '/usr/lib/postgresql'
/** Nothing survives these tests: files need not reach the disk. */
const SETTINGS = ['fsync=off', "listen_addresses=''", 'max_connections=50', 'shared_buffers=64MB']

export interface PostgresServer {
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Stops the server as a crash does, without a word to its clients. */
  crash(): Promise<void>
  start(): Promise<void>
}

/** The directory of the newest PostgreSQL of the system package. */
function binaries(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : []
  if (versions[0] === undefined) throw new Error('PostgreSQL is not installed: install the package "postgresql"')
  return join(VERSIONS, versions[0], 'bin')
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const line = users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'))
  const [, , uid, gid] = (line ?? '').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** Starts PostgreSQL in a temporary directory, on a socket in it. It stops when the test ends. */
export async function startPostgres(t: { after(stop: () => Promise<void>): void }): Promise<PostgresServer> {
  const bin = binaries()
  const user = unprivilegedUser()
  const directory = mkdtempSync(join(tmpdir(), 'pg-'))
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const as = { ...user, cwd: directory, env: { ...process.env, LC_ALL: 'C' } }
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], as)
  const options = [...SETTINGS, `unix_socket_directories='${directory}'`].map((setting) => `-c ${setting}`).join(' ')
  const control = (...words: string[]) =>
    run(join(bin, 'pg_ctl'), ['-D', data, '-w', '-l', join(directory, 'log'), ...words], as)
  const start = async () => void (await control('-o', options, 'start'))
  const crash = async () => void (await control('-m', 'immediate', 'stop'))
  await start()
  t.after(async () => {
    await crash().catch(() => undefined)
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  let databases = 0
  return {
    async createDatabase() {
      const name = `test${++databases}`
      await run(join(bin, 'createdb'), ['-h', directory, '-U', 'postgres', name], as)
      return `postgres://postgres@localhost/${name}?host=${directory}`
    },
    start,
    crash,
  }
}
