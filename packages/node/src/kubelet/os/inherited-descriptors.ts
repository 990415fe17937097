import { openSync, readdirSync, readFileSync } from 'node:fs'

const CLOSED_ON_EXEC = 0o2000000

let known: { readonly descriptors: readonly number[]; readonly nothing: number } | undefined

/**
 * Descriptors beyond the standard three that this process got from whoever started it and would hand on: files and
 * sockets that are none of a pod's business. Node.js itself hands on none. Each comes with what to put in its place. Found
 * where `/proc` tells: on Linux.
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
    // It was the one that the directory was read with.
    return false
  }
}
