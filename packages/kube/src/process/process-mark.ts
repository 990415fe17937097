import { readFileSync } from 'node:fs'

/** A process, told apart from later ones with the same number. */
export interface ProcessMark {
  readonly pid: number
  /** When it started, in the system's own units; empty where that cannot be found out. */
  readonly started: string
}

/** The mark of a process that runs. */
export function markOf(pid: number): ProcessMark {
  return { pid, started: startOf(pid) }
}

/** Whether the very process still runs. One that is dead and only waits for its parent's notice does not. */
export function isRunning({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process exists, although it cannot be signalled.
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

/** The fields of /proc/PID/stat after the command's name, which may hold spaces and brackets; none on other systems. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
