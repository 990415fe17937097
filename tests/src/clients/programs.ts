import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { afterwards } from '../support/server.js'

const FILE = new URL('../../../.cache/peers/bin/go-programs', import.meta.url).pathname

/** Software that users run on clusters; `npm run test:peers` builds it. */
export type ProgramName = 'helm' | 'kube-scheduler' | 'cert-manager'

export interface ProgramOutcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program that runs beside the test. */
export interface RunningProgram {
  /** Its output so far, for messages. */
  output(): string
}

type Environment = Readonly<Record<string, string>>

function start(name: ProgramName, args: readonly string[], environment: Environment) {
  assert.ok(existsSync(FILE), `${FILE} is missing: run \`node tools/peers/prepare.mjs\``)
  return spawn(FILE, [name, ...args], { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs a program to its end. */
export async function runToEnd(
  name: ProgramName,
  args: readonly string[],
  environment: Environment,
): Promise<ProgramOutcome> {
  const child = start(name, args, environment)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('close', (exit) => resolve(exit)).once('error', reject),
  )
  return { code, stdout, stderr }
}

/** Runs a program until the end of the test. */
export function startProgram(
  t: TestContext,
  name: ProgramName,
  args: readonly string[],
  environment: Environment,
): RunningProgram {
  const child = start(name, args, environment)
  let output = ''
  const collect = (text: string) => {
    output += text
  }
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  afterwards(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { output: () => output }
}
