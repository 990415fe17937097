import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'

const ROOT = new URL('../../../', import.meta.url).pathname

/** A client program in another language. It prints a JSON line for each check. */
export interface Program {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly arguments?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export const goProgram = (name: string, ...args: string[]): Program => ({
  file: `.cache/peers/bin/go-${name}`,
  arguments: args,
})
export const pythonProgram = (script: string): Program => ({
  file: '.cache/peers/python/bin/python',
  arguments: [`${ROOT}tests/clients/python/${script}`],
})

export const javaProgram: Program = { file: '.cache/peers/bin/java-fabric8' }
export const rustProgram: Program = { file: '.cache/peers/bin/rust-kube' }

/** Why a program could not be prepared on this machine, if so: the name is that of its file. */
export function whySkipped({ file }: Program): string | undefined {
  const mark = `${ROOT}.cache/peers/skipped/${file.split('/').at(-1)}`
  return existsSync(mark) ? readFileSync(mark, 'utf8') : undefined
}

/** A line of a program: the result of a check, a request to the test, or the final count. */
interface Line {
  readonly check?: string
  readonly error?: string
  readonly ask?: string
  readonly done?: number
}

/** Runs a program to its end and turns each of its checks into a subtest. `answers` handle its requests. */
export async function runProgram(
  t: TestContext,
  program: Program,
  kubeconfig: string,
  answers: Readonly<Record<string, () => Promise<void>>> = {},
): Promise<void> {
  const file = `${ROOT}${program.file}`
  assert.ok(existsSync(file), `${program.file} is missing: run \`node tools/peers/prepare.mjs\``)
  const child = spawn(file, program.arguments ?? [], {
    env: { ...process.env, ...program.environment, KUBECONFIG: kubeconfig },
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject))
  let checks = 0
  let done: number | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    output += `${text}\n`
    const line = parseLine(text)
    if (line.done !== undefined) done = line.done
    if (line.ask !== undefined) {
      await answers[line.ask]?.()
      child.stdin.write('done\n')
    }
    if (line.check === undefined) continue
    checks++
    await t.test(line.check, () => assert.equal(line.error, undefined, `${line.error}\n${output}`))
  }
  await ended
  assert.ok(checks > 0 && done === checks, `the program ended early:\n${output}`)
}

/** A line that is not JSON is plain output. */
function parseLine(text: string): Line {
  try {
    return JSON.parse(text) as Line
  } catch {
    return {}
  }
}
