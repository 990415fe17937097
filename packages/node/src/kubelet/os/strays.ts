import { readdir, readFile } from 'node:fs/promises'

/** The variable that all processes of a container have from it, whatever became of their group. */
export const ROOT_VARIABLE = 'ORRERY_ROOT'

/** Whoever makes new ones faster than they are found is not waited for. */
const ROUNDS = 5

/** Ends what processes of a container left behind when it ended, where their variables can be read: on Linux. */
export function endStraysOf(root: string): Promise<void> {
  return endStrays(`\0${ROOT_VARIABLE}=${root}\0`)
}

/** Ends what containers with roots below a directory left behind. */
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
      // Those of others cannot be read, and some end meanwhile.
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
    // It has ended meanwhile.
  }
}
