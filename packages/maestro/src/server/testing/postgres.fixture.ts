import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const VERSIONS = '/usr/lib/postgresql'
const USER = 'maestro'
const HOST = '127.0.0.1'
/** Data of tests need not survive a power failure. */
const FOR_TESTS = ['fsync=off', 'shared_buffers=64MB']

export interface Postgres {
  readonly host: string
  readonly port: number
  readonly user: string
  /** Creates an empty database and returns its name. */
  createDatabase(): Promise<string>
  urlOf(database: string): string
  /** Creates an empty database and returns its URL. */
  createUrl(): Promise<string>
  /** Ends it as a crash does. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Its process. */
  readonly pid: number | undefined
}

/** Starts the system's PostgreSQL on a free port, with its data in a temporary directory. It stops after the test. */
export async function startPostgres(
  t: { after(stop: () => Promise<void>): void },
  settings: readonly string[] = FOR_TESTS,
): Promise<Postgres> {
  const bin = newestRelease()
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'))
  const user = unprivilegedUser()
  const data = join(directory, 'data')
  await mkdir(data)
  if (user !== undefined) for (const path of [directory, data]) await chown(path, user.uid, user.gid)
  const as = { ...user, cwd: directory, env: { ...process.env, LC_ALL: 'C' } }
  let child: ChildProcess | undefined
  const stop = async (signal: NodeJS.Signals) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child?.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  // SIGQUIT is its immediate shutdown: nothing is flushed, and clients are not informed.
  const crash = () => stop('SIGQUIT')
  t.after(async () => {
    await crash()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  await run(join(bin, 'initdb'), ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync'], as)
  const port = await freePort()
  const all = [...settings, `port=${port}`, `listen_addresses=${HOST}`, `unix_socket_directories=${directory}`]
  const args = ['-D', data, ...all.flatMap((setting) => ['-c', setting])]
  const start = async () => {
    child = spawn(join(bin, 'postgres'), args, { ...as, stdio: ['ignore', 'ignore', 'pipe'] })
    await isReady(child)
  }
  await start()
  let databases = 0
  const urlOf = (database: string) => `postgres://${USER}@${HOST}:${port}/${database}`
  const createDatabase = async () => {
    databases += 1
    const name = `maestro${databases}`
    await run(join(bin, 'createdb'), ['-h', HOST, '-p', String(port), '-U', USER, name], as)
    return name
  }
  return {
    host: HOST,
    port,
    user: USER,
    urlOf,
    createDatabase,
    createUrl: async () => urlOf(await createDatabase()),
    crash,
    start,
    get pid() {
      return child?.pid
    },
  }
}

function newestRelease(): string {
  const releases = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : []
  if (releases[0] === undefined) throw new Error('PostgreSQL is not installed: install the package postgresql')
  return join(VERSIONS, releases[0], 'bin')
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const [, , uid, gid] = (users.find((line) => line.startsWith('nobody:')) ?? '').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-6_000)
      if (log.includes('ready to accept connections')) resolve()
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)))
  })
}
