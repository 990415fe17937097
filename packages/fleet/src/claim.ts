import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { claimDirectory, isRunning, markOf, type ProcessMark } from '@orrery/kube/process'
import type { FleetDirectory } from './directory.js'

/** Another process runs the fleet in this directory. */
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

/** The process that runs the fleet, and the one that starts it in the background. */
type Role = 'supervisor' | 'starter'

const NAME = /^(supervisor|starter)-(\d+)-(\d*)$/

/**
 * Claims a fleet for this process; returns a function that releases it. The claim holds across PID namespaces. A file
 * beside it names the process to stop.
 */
export async function claimFleet(directory: FleetDirectory): Promise<() => void> {
  mkdirSync(directory.root, { recursive: true, mode: 0o700 })
  const release = await claimDirectory(directory.root, {
    prefix: 'fleet.owner-',
    inUse: (pid) => new FleetInUse(directory, pid),
  })
  for (const other of marks(directory, 'supervisor')) {
    rmSync(fileOf(directory, 'supervisor', other), { force: true })
  }
  const unmark = leaveMark(directory, 'supervisor', markOf(process.pid))
  return () => {
    unmark()
    release()
  }
}

/**
 * Announces that this process starts the supervisor of a fleet in the background, which takes a moment to claim it;
 * returns a function that withdraws this. `stopFleet` stops this process meanwhile.
 */
export function announceStart(directory: FleetDirectory): () => void {
  for (const other of marks(directory, 'starter')) {
    if (!isRunning(other)) rmSync(fileOf(directory, 'starter', other), { force: true })
  }
  return leaveMark(directory, 'starter', markOf(process.pid))
}

/** The process that runs a fleet; undefined if there is none. */
export function supervisorOf(directory: FleetDirectory): ProcessMark | undefined {
  return marks(directory, 'supervisor').find(isRunning)
}

/** The process that starts a fleet in the background; undefined if there is none. */
export function starterOf(directory: FleetDirectory): ProcessMark | undefined {
  return marks(directory, 'starter').find(isRunning)
}

function leaveMark(directory: FleetDirectory, role: Role, mark: ProcessMark): () => void {
  const file = fileOf(directory, role, mark)
  closeSync(openSync(file, 'w', 0o600))
  return () => rmSync(file, { force: true })
}

function marks(directory: FleetDirectory, wanted: Role): readonly ProcessMark[] {
  return namesIn(directory.root).flatMap((name) => {
    const [, role, pid, started = ''] = NAME.exec(name) ?? []
    return role === wanted ? [{ pid: Number(pid), started }] : []
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

function fileOf({ root }: FleetDirectory, role: Role, { pid, started }: ProcessMark): string {
  return join(root, `${role}-${pid}-${started}`)
}
