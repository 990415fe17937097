import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AdapterReport } from '@orrery/hyperfleet'

const EXAMPLE = fileURLToPath(new URL('../../../examples/hyperfleet-adapter/', import.meta.url))

/** Starts a program of the example. */
export function startExample(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, [join(EXAMPLE, 'dist', program), ...args], {
    cwd: join(EXAMPLE, 'config'),
    env: { PATH: process.env.PATH, ...environment },
  })
}

/** Runs the example to its end. */
export async function runExample(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = startExample('main.js', args, environment)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const status = await new Promise((resolve) => child.once('close', resolve))
  return { status, output }
}

/** The conditions in the report of the example: `Applied=True ManifestWorkCreated`. */
export async function reportedConditions(results: string): Promise<string[]> {
  const { conditions } = JSON.parse(await readFile(join(results, 'adapter-report.json'), 'utf8')) as AdapterReport
  return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)
}
