import { delimiter } from 'node:path'
import { findExecutable } from '../os/executable.js'

/** What a sandbox is made with: util-linux and a shell. */
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

/** Where each tool is, the same outside and inside a sandbox. */
export type SandboxTools = Readonly<Record<(typeof NEEDED)[number], string>> &
  Readonly<Partial<Record<(typeof USEFUL)[number], string>>>

/** Only where the system keeps its own: these directories are in every sandbox, and nobody but root writes to them. */
export const TOOL_PATH = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'].join(delimiter)

/** Finds the tools. Throws with the name of one that is missing. */
export async function findTools(): Promise<SandboxTools> {
  const found: Partial<Record<string, string>> = {}
  for (const name of [...NEEDED, ...USEFUL]) {
    const file = await findExecutable(name, TOOL_PATH, '/')
    if (file !== undefined) found[name] = file
  }
  const missing = NEEDED.find((name) => found[name] === undefined)
  if (missing !== undefined) throw new Error(`${missing} is not installed (util-linux)`)
  return found as SandboxTools
}
