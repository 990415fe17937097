import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A process, distinguished from later ones with the same number. */
interface Owner {
  readonly pid: number
  /** When it started, in the system's own units; '' where that cannot be found out. */
  readonly started: string
  /** Which run of the machine it belongs to. */
  readonly boot: string
}

export interface ClaimOptions {
  /** What the names of the claim's files start with. */
  readonly prefix: string
  /** The error for a directory that another process has, or this one already. */
  readonly inUse: (pid: number, file: string) => Error
}

const claimedHere = new Set<string>()

/**
 * Claims a directory for this process; returns the way to give it up. The claim is a Unix socket in the directory, which
 * answers only while the process that made it lives: the kernel closes it on `kill -9` too, and it answers across PID
 * namespaces (two containers that share a volume), where process numbers mean nothing. Everybody first makes their
 * socket and then looks for others, so of two that start together at most one continues. Sockets that nobody answers
 * are removed. On file systems without sockets a plain file stands for it, and its process number decides.
 */
export async function claimDirectory(directory: string, options: ClaimOptions): Promise<() => void> {
  const path = resolve(directory)
  const { prefix, inUse } = options
  const key = join(path, prefix)
  const self: Owner = { pid: process.pid, started: processStat(process.pid).started, boot: bootId() }
  const name = `${prefix}${self.pid}-${self.started}-${self.boot}-${randomBytes(4).toString('hex')}`
  if (claimedHere.has(key)) throw inUse(process.pid, join(path, name))
  claimedHere.add(key)
  let close: (() => void) | undefined
  const release = () => {
    claimedHere.delete(key)
    close?.()
    rmSync(join(path, name), { force: true })
  }
  try {
    close = await withShortPath(path, `.${name}`, (short) => makeClaim(short, name))
    for (const other of readdirSync(path)) {
      if (!other.startsWith(prefix) || other === name) continue
      const owner = parseOwner(other.slice(prefix.length))
      if (owner !== undefined && (await holds(path, other, owner, self.boot))) {
        throw inUse(owner.pid, join(path, other))
      }
      rmSync(join(path, other), { force: true })
    }
    return release
  } catch (error) {
    release()
    throw error
  }
}

/** Returns the way to close the socket; undefined when it is a plain file. */
async function makeClaim(directory: string, name: string): Promise<(() => void) | undefined> {
  const server = createServer((socket) => socket.destroy())
  // It gets its name when it answers: before that others would take it for one that nobody answers.
  const unnamed = join(directory, `.${name}`)
  try {
    await new Promise<void>((done, fail) => server.once('error', fail).listen(unnamed, done))
  } catch {
    closeSync(openSync(join(directory, name), 'w', 0o600))
    return undefined
  }
  server.unref()
  renameSync(unnamed, join(directory, name))
  return () => server.close()
}

const OWNER = /^(\d+)-(\w*)-(\w*)(?:-\w+)?$/

function parseOwner(text: string): Owner | undefined {
  const [, pid, started = '', boot = ''] = OWNER.exec(text) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), started, boot }
}

async function holds(directory: string, name: string, owner: Owner, boot: string): Promise<boolean> {
  const isSocket = lstatSync(join(directory, name), { throwIfNoEntry: false })?.isSocket() === true
  const lives = isSocket
    ? () => withShortPath(directory, name, (short) => answers(join(short, name)))
    : () => Promise.resolve(owner.boot === boot && isRunning(owner))
  // A killed process that its parent has taken no note of yet is gone when its last thread is: soon, so it is waited for.
  for (let waited = 0; waited < MAX_DYING_MILLISECONDS && (await lives()); waited += 10) {
    const { state, started } = processStat(owner.pid)
    if (state !== 'Z' || started !== owner.started) return true
    await pause(10)
  }
  return lives()
}

const MAX_DYING_MILLISECONDS = 3000

/** Whether a process listens there. Anything but a clear no, such as a missing permission, counts as a yes. */
function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => done(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
  })
}

/** The longest path of a socket that Linux and macOS both take, in bytes. */
const MAX_SOCKET_PATH = 103

/** Where the path of a socket is too long for the system, a short link to its directory stands for that. */
async function withShortPath<T>(directory: string, name: string, use: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(join(directory, name)) <= MAX_SOCKET_PATH) return use(directory)
  const place = await mkdtemp(join(tmpdir(), 'o-'))
  try {
    symlinkSync(directory, join(place, 'd'))
    return await use(join(place, 'd'))
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

function isRunning(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const { state, threads, started } = processStat(owner.pid)
  return started === owner.started && (state !== 'Z' || threads > 1)
}

/** Fields 3, 20 and 22 of /proc/PID/stat, counted after the command name, which may hold spaces and brackets. */
function processStat(pid: number): { state: string; threads: number; started: string } {
  const stat = readIfThere(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', threads: Number(fields[17] ?? 0), started: fields[19] ?? '' }
}

function bootId(): string {
  return readIfThere('/proc/sys/kernel/random/boot_id').replaceAll('-', '').trim().slice(0, 12)
}

/** Empty where the system has no such file: claims by plain files then rest on process numbers alone. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
