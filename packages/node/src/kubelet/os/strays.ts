import { readdir, readFile } from 'node:fs/promises'

/** The variable that identifies all processes of a container, even outside its process group. */
export const ROOT_VARIABLE = 'ORRERY_ROOT'

/** The maximum number of rounds, for processes that fork faster than they are found. */
const ROUNDS = 5

/** Ends processes of a container that outlived it. Works on Linux, where their variables are readable. */
export function endStraysOf(root: string): Promise<void> {
  return endStrays(`\0${ROOT_VARIABLE}=${root}\0`)
}

/** Ends processes of containers with roots below a directory. */
export function endStraysBelow(directory: string): Promise<void> {
  return endStrays(`\0${ROOT_VARIABLE}=${directory}/`)
}

async function endStrays(mark: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const found = await marked(Buffer.from(mark))
    if (found.length === 0) return
    for (const pid of found) kill(pid)
  }
}

async function marked(mark: Buffer): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const found: number[] = []
  await Promise.all(
    names.map(async (name) => {
      if (!/^\d+$/.test(name) || Number(name) === process.pid) return
      // Processes of other users are unreadable, and some end meanwhile.
      const variables = await readFile(`/proc/${name}/environ`).catch(() => undefined)
      if (variables !== undefined && Buffer.concat([START, variables]).includes(mark)) found.push(Number(name))
    }),
  )
  return found
}

const START = Buffer.from('\0')

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended meanwhile.
  }
}
