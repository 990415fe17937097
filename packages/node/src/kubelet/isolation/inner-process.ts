import { readFile } from 'node:fs/promises'
import type { InnerProcess } from '../os/child-process.js'

/**
 * Finds process 1 of the namespaces that a process created, and the program that it started, as long as it is the only
 * child.
 */
export async function innerProcessOf(leader: number): Promise<InnerProcess | undefined> {
  const [init] = await childrenOf(leader)
  if (init === undefined) return undefined
  const [pid] = await childrenOf(init)
  return pid === undefined ? undefined : { init, pid }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map(Number)
}
