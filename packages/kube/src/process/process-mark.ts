import { readFileSync } from 'node:fs'

/** A process, distinguished from later ones with the same PID. */
export interface ProcessMark {
  readonly pid: number
  /** When it started, in the system's own units; empty if that is unknown. */
  readonly started: string
}

/** The mark of a running process. */
export function markOf(pid: number): ProcessMark {
  return { pid, started: processStat(pid).started }
}

/** Whether this process still runs. A zombie does not. */
export function isRunning({ pid, started: expected }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists, although it cannot be signalled.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const { state, threads, started } = processStat(pid)
  // The main thread of a process may have ended while others still run.
  return started === expected && (state !== 'Z' || threads > 1)
}

/** The state, threads and start of a process. */
export interface ProcessStat {
  readonly state: string
  readonly threads: number
  readonly started: string
}

/**
 * Fields 3, 20 and 22 of /proc/PID/stat, counted after the command name, which may contain spaces and brackets. Empty on
 * other systems.
 */
export function processStat(pid: number): ProcessStat {
  let stat = ''
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // The process has ended, or the system has no such file.
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', threads: Number(fields[17] ?? 0), started: fields[19] ?? '' }
}
