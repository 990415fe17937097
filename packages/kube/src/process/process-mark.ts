import { readFileSync } from 'node:fs'

/** A process, distinguished from later ones with the same PID. */
export interface ProcessMark {
  readonly pid: number
  /** When it started, in the system's own units; empty if that is unknown. */
  readonly started: string
}

/** The mark of a running process. */
export function markOf(pid: number): ProcessMark {
  return { pid, started: startOf(pid) }
}

/** Whether this process still runs. A zombie does not. */
export function isRunning({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists, although it cannot be signalled.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const [state = '', ...fields] = statOf(pid)
  return state !== 'Z' && (fields[START] ?? '') === started
}

/** Field 22 of /proc/PID/stat, counted from the one after the state. */
const START = 18

function startOf(pid: number): string {
  return statOf(pid)[START + 1] ?? ''
}

/**
 * The fields of /proc/PID/stat after the command name, which may contain spaces and brackets; none on other systems.
 */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
