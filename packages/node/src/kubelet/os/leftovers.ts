import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killGroup } from './child-process.js'
import { endStraysBelow } from './strays.js'

const PID_FILE = 'pid'

/**
 * Records the PID of a process, so that the next start of a node that was killed can end it. The start time is recorded
 * too, since the PID may be reused.
 */
export async function notePid(directory: string, pid: number): Promise<void> {
  await writeFile(join(directory, PID_FILE), `${pid} ${(await birthOf(pid)) ?? ''}\n`)
}

export async function forgetPid(directory: string): Promise<void> {
  await rm(join(directory, PID_FILE), { force: true })
}

/** Ends the processes that an earlier run of the node left. `podsDirectory` contains `<uid>/containers/<name>/pid`. */
export async function endLeftovers(podsDirectory: string): Promise<number> {
  let ended = 0
  for (const uid of await names(podsDirectory)) {
    const containers = join(podsDirectory, uid, 'containers')
    for (const container of await names(containers)) {
      if (await endNoted(join(containers, container))) ended++
    }
  }
  await endStraysBelow(podsDirectory)
  return ended
}

/** Ends the process whose PID is recorded in a directory. Returns whether there was one. */
export async function endNoted(directory: string): Promise<boolean> {
  const [, pid, birth] = /^(\d+) (.+)\n$/.exec(await readFile(join(directory, PID_FILE), 'utf8').catch(() => '')) ?? []
  const isThere = pid !== undefined && birth === (await birthOf(Number(pid)))
  if (isThere) killGroup(Number(pid), 'SIGKILL')
  await forgetPid(directory)
  return isThere
}

/** Returns the start time of a process in ticks since boot, which distinguishes it from others with the same PID. */
async function birthOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The program name, in parentheses, can contain anything; fields are counted from after it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => [])
}
