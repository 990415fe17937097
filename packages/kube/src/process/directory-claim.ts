import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isRunning, markOf, type ProcessMark, processStat } from './process-mark.js'

/** The process of a claim. */
interface Owner extends ProcessMark {
  /** The boot ID of the machine. */
  readonly boot: string
}

export interface ClaimOptions {
  /** The prefix of the claim's files. */
  readonly prefix: string
  /** The error for a directory that another process holds, or this one already. */
  readonly inUse: (pid: number, file: string) => Error
}

const claimedHere = new Set<string>()

/**
 * Claims a directory for this process; returns a function that releases it. The claim is a Unix socket in the
 * directory, which answers only while its process lives: the kernel closes it on `kill -9` too, and it answers across
 * PID namespaces (two containers that share a volume), where PIDs mean nothing. Every process first creates its
 * socket and then checks for others, so that of two concurrent claims at most one succeeds. Sockets that do not
 * answer are removed. On file systems without sockets a plain file is used, and its PID decides.
 */
export async function claimDirectory(directory: string, options: ClaimOptions): Promise<() => void> {
  const path = resolve(directory)
  const { prefix, inUse } = options
  const key = join(path, prefix)
  const self: Owner = { ...markOf(process.pid), boot: bootId() }
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

/** Returns a function that closes the socket; undefined if it is a plain file. */
async function makeClaim(directory: string, name: string): Promise<(() => void) | undefined> {
  const server = createServer((socket) => socket.destroy())
  // It is renamed when it answers: before that others would take it for a dead one.
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
  // A killed process stays until its parent has waited for it and its last thread has ended, which is soon.
  for (let waited = 0; waited < MAX_DYING_MILLISECONDS && (await lives()); waited += 10) {
    const { state, started } = processStat(owner.pid)
    if (state !== 'Z' || started !== owner.started) return true
    await pause(10)
  }
  return lives()
}

const MAX_DYING_MILLISECONDS = 3000

/** Whether a process listens there. Anything but a clear no, such as a missing permission, counts as yes. */
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

/** The longest socket path that both Linux and macOS accept, in bytes. */
const MAX_SOCKET_PATH = 103

/** If the path of a socket is too long, a short link to its directory is used. */
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

function bootId(): string {
  return readIfThere('/proc/sys/kernel/random/boot_id').replaceAll('-', '').trim().slice(0, 12)
}

/** Empty if the system has no such file: then claims by plain files rely on PIDs alone. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
