import { openSync, readdirSync, readFileSync } from 'node:fs'

const CLOSED_ON_EXEC = 0o2000000

let known: { readonly descriptors: readonly number[]; readonly nothing: number } | undefined

/**
 * Returns the descriptors above 2 that this process inherited and would pass on: files and sockets that a pod must not
 * have. Node.js itself passes on none. Each has a replacement. Found through `/proc`, so only on Linux.
 */
export function inheritedDescriptors(): { readonly descriptors: readonly number[]; readonly nothing: number } {
  if (known === undefined) {
    const descriptors = openDescriptors().filter((one) => one > 2 && isHandedOn(one))
    known = { descriptors, nothing: descriptors.length === 0 ? -1 : openSync('/dev/null', 'r+') }
  }
  return known
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    // The descriptor of the directory that was read.
    return false
  }
}
