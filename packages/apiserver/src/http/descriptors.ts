import { readFileSync } from 'node:fs'

/** Where the system does not show its limit, as on macOS: what most of them give a process at least. */
const USUAL_DESCRIPTORS = 1024

/** How many files and sockets this process can have open. Node.js raises the soft limit to the hard one when it starts. */
export function descriptorLimit(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const soft = Number(/^Max open files\s+(\d+)/m.exec(read())?.[1])
    return Number.isSafeInteger(soft) && soft > 0 ? soft : USUAL_DESCRIPTORS
  } catch {
    return USUAL_DESCRIPTORS
  }
}
