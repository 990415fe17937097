import { delimiter } from 'node:path'
import { findExecutable } from '../os/executable.js'

/** The required tools: util-linux and a shell. */
const NEEDED = [
  'sh',
  'env',
  'mkdir',
  'mount',
  'umount',
  'nsenter',
  'pivot_root',
  'setpriv',
  'setsid',
  'unshare',
] as const
const USEFUL = ['hostname', 'script', 'stty'] as const

/** The path of each tool, the same outside and inside a sandbox. */
export type SandboxTools = Readonly<Record<(typeof NEEDED)[number], string>> &
  Readonly<Partial<Record<(typeof USEFUL)[number], string>>>

/** Only the system's own directories: they are in every sandbox, and only root can write to them. */
export const TOOL_PATH = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'].join(delimiter)

/** Finds the tools. Throws an error with the name of a missing one. */
export async function findTools(): Promise<SandboxTools> {
  const found: Partial<Record<string, string>> = {}
  for (const name of [...NEEDED, ...USEFUL]) {
    const file = await findExecutable(name, TOOL_PATH, '/')
    if (file !== undefined) found[name] = file
  }
  const missing = NEEDED.find((name) => found[name] === undefined)
  if (missing !== undefined) throw new Error(`${missing} is not installed: install util-linux`)
  return found as SandboxTools
}
