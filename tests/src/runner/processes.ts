// Runs Node with test files that a test writes.
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryDirectory } from '../support/server.js'

interface Groups {
  groupsOf(root: string, files: readonly string[]): string[][]
  writeGroups(directory: string, root: string, groups: readonly (readonly string[])[]): string[]
}

/** The address of a module of the runner. */
export const runnerModule = (name: string): string => new URL(`../../../tools/tests/${name}.mjs`, import.meta.url).href

export const { groupsOf, writeGroups } = (await import(runnerModule('groups'))) as Groups

/** Files by path, in a new directory. */
export async function writeFiles(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const root = await temporaryDirectory(t)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  return root
}

/** Runs Node without the settings of this test's own runner, until it ends. */
export async function runNode(
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { NODE_TEST_CONTEXT: _, ORRERY_TEST_TIMES: __, ...env } = process.env
  const child = spawn(process.execPath, args, { env: { ...env, ...settings } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, text }
}
