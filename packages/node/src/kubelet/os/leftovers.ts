import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killGroup } from './child-process.js'
import { endStraysBelow } from './strays.js'

const PID_FILE = 'pid'

/**
 * Notes down that a process runs, so that a node which died without stopping it can be followed by one that does. A
 * number alone does not do: it may be another process's by then.
 */
export async function notePid(directory: string, pid: number): Promise<void> {
  await writeFile(join(directory, PID_FILE), `${pid} ${(await birthOf(pid)) ?? ''}\n`)
}

export async function forgetPid(directory: string): Promise<void> {
  await rm(join(directory, PID_FILE), { force: true })
}

/** Ends what a node before this one left running. `podsDirectory` holds `<uid>/containers/<name>/pid`. */
export async function endLeftovers(podsDirectory: string): Promise<number> {
  let ended = 0
  for (const uid of await names(podsDirectory)) {
    const containers = join(podsDirectory, uid, 'containers')
    for (const container of await names(containers)) {
      const directory = join(containers, container)
      const [, pid, birth] =
        /^(\d+) (.+)\n$/.exec(await readFile(join(directory, PID_FILE), 'utf8').catch(() => '')) ?? []
      if (pid !== undefined && birth === (await birthOf(Number(pid)))) {
        killGroup(Number(pid), 'SIGKILL')
        ended++
      }
      await forgetPid(directory)
    }
  }
  await endStraysBelow(podsDirectory)
  return ended
}

/** Something that no other process with this number has: the time it started, in ticks since the machine did. */
async function birthOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name of the program, in parentheses, may hold anything; fields are counted from behind it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => [])
}
