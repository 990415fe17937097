import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Another process, or this one, has the store open. */
export class StoreInUse extends Error {
  readonly pid: number
  constructor(directory: string, pid: number, file: string) {
    super(
      `the store in ${directory} is in use by process ${pid}; stop it first ` +
        `(should that process have nothing to do with it, delete ${file})`,
    )
    this.name = 'StoreInUse'
    this.pid = pid
  }
}

/** A process, told apart from later ones with the same number. */
interface Owner {
  readonly pid: number
  /** When it started, in the system's own units; '' where that cannot be found out. */
  readonly started: string
  /** Which run of the machine it belongs to. */
  readonly boot: string
}

const PREFIX = 'store.owner-'
const NAME = /^store\.owner-(\d+)-(\w*)-(\w*)$/
const openHere = new Set<string>()

/**
 * Claims a data directory for this process; returns the way to give it up. The claim is a file whose name says who
 * made it. Everybody first makes their file and then looks for others, so of two that start together at most one
 * goes on. Files of processes that are gone are removed.
 */
export function claimStore(directory: string): () => void {
  const path = resolve(directory)
  const self: Owner = { pid: process.pid, started: startOf(process.pid), boot: bootId() }
  const file = join(path, fileName(self))
  if (openHere.has(path)) throw new StoreInUse(path, process.pid, file)
  closeSync(openSync(file, 'w', 0o600))
  for (const name of readdirSync(path)) {
    if (!name.startsWith(PREFIX) || name === fileName(self)) continue
    const owner = parseFileName(name)
    if (owner !== undefined && isRunning(owner, self.boot)) {
      rmSync(file, { force: true })
      throw new StoreInUse(path, owner.pid, join(path, name))
    }
    rmSync(join(path, name), { force: true })
  }
  openHere.add(path)
  return () => {
    openHere.delete(path)
    rmSync(file, { force: true })
  }
}

function fileName(owner: Owner): string {
  return `${PREFIX}${owner.pid}-${owner.started}-${owner.boot}`
}

function parseFileName(name: string): Owner | undefined {
  const match = NAME.exec(name)
  if (match === null) return undefined
  return { pid: Number(match[1]), started: match[2] ?? '', boot: match[3] ?? '' }
}

function isRunning(owner: Owner, boot: string): boolean {
  if (owner.boot !== boot) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  return processStat(owner.pid).started === owner.started && !isDead(owner.pid)
}

/** A killed process that its parent has taken no note of yet is gone when its last thread is: soon, so it is waited for. */
function isDead(pid: number): boolean {
  for (let waited = 0; waited < MAX_DYING_MILLISECONDS; waited += 10) {
    const { state, threads } = processStat(pid)
    if (state !== 'Z') return false
    if (threads <= 1) return true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  return false
}

const MAX_DYING_MILLISECONDS = 3000

function startOf(pid: number): string {
  return processStat(pid).started
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

/** Empty where the system has no such file: claims then rest on process numbers alone. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
