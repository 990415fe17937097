import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FleetDirectory } from './directory.js'
import { isRunning, markOf, type ProcessMark } from './processmark.js'

/** Another process keeps the fleet in this directory running. */
export class FleetInUse extends Error {
  readonly pid: number
  constructor(directory: FleetDirectory, pid: number) {
    super(
      `the fleet in ${directory.root} is running already (process ${pid}): see it with ${directory.command('status')}, ` +
        `stop it with ${directory.command('down')}, or choose another directory with --data`,
    )
    this.name = 'FleetInUse'
    this.pid = pid
  }
}

const NAME = /^supervisor-(\d+)-(\d*)$/

/**
 * Claims a fleet for this process; returns the way to give it up. The claim is a file whose name says who made it.
 * Everybody first makes their file and then looks for others, so of two that start together at most one goes on.
 */
export function claimFleet(directory: FleetDirectory): () => void {
  mkdirSync(directory.root, { recursive: true, mode: 0o700 })
  const self = markOf(process.pid)
  const file = join(directory.root, fileName(self))
  closeSync(openSync(file, 'w', 0o600))
  for (const other of claims(directory)) {
    if (other.pid === self.pid && other.started === self.started) continue
    if (isRunning(other)) {
      rmSync(file, { force: true })
      throw new FleetInUse(directory, other.pid)
    }
    rmSync(join(directory.root, fileName(other)), { force: true })
  }
  return () => rmSync(file, { force: true })
}

/** The process that keeps a fleet running; undefined when none does. */
export function supervisorOf(directory: FleetDirectory): ProcessMark | undefined {
  return claims(directory).find(isRunning)
}

function claims(directory: FleetDirectory): readonly ProcessMark[] {
  return namesIn(directory.root).flatMap((name) => {
    const match = NAME.exec(name)
    return match === null ? [] : [{ pid: Number(match[1]), started: match[2] ?? '' }]
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function fileName({ pid, started }: ProcessMark): string {
  return `supervisor-${pid}-${started}`
}
