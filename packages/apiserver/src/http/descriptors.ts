import { readFileSync } from 'node:fs'

/** The default on systems that do not show their limit, such as macOS: the usual minimum. */
const USUAL_DESCRIPTORS = 1024

/**
 * Returns how many files and sockets this process can open. Node.js raises the soft limit to the hard one at its start.
 */
export function descriptorLimit(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const soft = Number(/^Max open files\s+(\d+)/m.exec(read())?.[1])
    return Number.isSafeInteger(soft) && soft > 0 ? soft : USUAL_DESCRIPTORS
  } catch {
    return USUAL_DESCRIPTORS
  }
}
