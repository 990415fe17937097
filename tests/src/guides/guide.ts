import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = new URL('../../../', import.meta.url)
/** No command of a guide takes longer. */
const LIMIT_MILLISECONDS = 90_000

interface Block {
  readonly language: string
  readonly code: string
}

/** The blocks of a page in order, without the indentation of the list they are in. */
async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(new URL(page, ROOT), 'utf8')
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(([, indent = '', language = '', code = '']) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** A terminal of the reader: what a block exports is there for the next one, and programs can stay running. */
export class Terminal {
  readonly #directory: string
  #environment: Readonly<Record<string, string | undefined>>
  readonly #running: ChildProcess[] = []

  constructor(directory: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#directory = directory
    this.#environment = environment
  }

  /** Runs commands to their end, and returns what they print. */
  async run(code: string): Promise<string> {
    const variables = join(this.#directory, '.variables')
    const child = this.#spawn(`trap 'env -0 > "${variables}"' EXIT\n${code}`)
    const { output, status } = await finished(child)
    assert.equal(status, 0, `${code}\n${output}`)
    if (existsSync(variables)) {
      const pairs = (await readFile(variables, 'utf8')).split('\0').filter((pair) => pair.includes('='))
      this.#environment = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
    }
    return output
  }

  /** Starts commands of which the last one keeps running, and returns what they print up to `ready`. */
  async start(code: string, ready: RegExp): Promise<string> {
    const child = this.#spawn(code)
    this.#running.push(child)
    let output = ''
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`it ended before it printed ${ready}:\n${code}\n${output}`))
      child.once('close', fail)
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output += text
          if (ready.test(output)) resolve(output)
        })
      }
    })
  }

  /** Presses Ctrl-C where the last program runs, and waits for its end. */
  async interrupt(): Promise<void> {
    const child = this.#running.pop()
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    process.kill(-child.pid, 'SIGINT')
    await ended
  }

  async close(): Promise<void> {
    while (this.#running.length > 0) await this.interrupt()
  }

  /** In a process group of its own, as in a terminal. */
  #spawn(code: string): ChildProcess {
    return spawn('bash', ['-eo', 'pipefail', '-c', code], {
      cwd: this.#directory,
      env: this.#environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}

async function finished(child: ChildProcess): Promise<{ output: string; status: number | string | null }> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const limit = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, LIMIT_MILLISECONDS)
  const status = await new Promise<number | string | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  )
  clearTimeout(limit)
  return { output, status }
}

/** Text in a block that the test replaces, such as a placeholder. It has to be there. */
export type Replacement = readonly [from: string, to: string]

function replaced(code: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `the block does not contain "${from}":\n${text}`)
    return text.replaceAll(from, to)
  }, code)
}

/** A guide that is followed block by block. */
export class Guide {
  readonly page: string
  readonly #usual: Terminal
  readonly #blocks: Block[]
  #terminal: Terminal
  #output = ''

  private constructor(page: string, terminal: Terminal, blocks: Block[]) {
    this.page = page
    this.#usual = terminal
    this.#terminal = terminal
    this.#blocks = blocks
  }

  /** Follows a guide to its last block. */
  static async follow(page: string, terminal: Terminal, steps: (guide: Guide) => Promise<void>): Promise<void> {
    const guide = new Guide(page, terminal, await blocksOf(page))
    await steps(guide)
    assert.deepEqual(
      guide.#blocks.map(({ code }) => code),
      [],
      `${page}: blocks that the test does not run`,
    )
  }

  /** Has the next block run in another terminal. */
  in(terminal: Terminal): this {
    this.#terminal = terminal
    return this
  }

  /** Runs the next block, and expects it to succeed. */
  async run(expected: RegExp, ...replacements: readonly Replacement[]): Promise<string> {
    this.#output = await this.#useTerminal().run(replaced(this.#next('sh'), replacements))
    assert.match(this.#output, expected)
    return this.#output
  }

  /** Runs the next block, which keeps running, until it prints `ready`. */
  async start(ready: RegExp, ...replacements: readonly Replacement[]): Promise<void> {
    this.#output = await this.#useTerminal().start(replaced(this.#next('sh'), replacements), ready)
  }

  /** Expects the last command to have printed the next block. */
  printed(): void {
    const lines = this.#next('').trimEnd().split('\n')
    const printed = this.#output.split('\n').map((line) => line.trimEnd())
    const first = printed.indexOf(lines[0] ?? '')
    assert.deepEqual(printed.slice(first, first + lines.length), lines, this.#output)
  }

  /** The manifest in the next block. */
  manifest(): string {
    return this.#next('yaml')
  }

  /** The JSON in the next block. */
  json(): string {
    return this.#next('json')
  }

  /** The TypeScript in the next block. Another test runs it: `tests/src/addon/report-guide.test.ts`. */
  typescript(): string {
    return this.#next('ts')
  }

  /** The Dockerfile in the next block. */
  dockerfile(): string {
    return this.#next('dockerfile')
  }

  /** The commands in the next block, which need a container engine or containers: the tests of clusters have them. */
  commandsWithContainers(): string {
    return this.#next('sh')
  }

  #useTerminal(): Terminal {
    const terminal = this.#terminal
    this.#terminal = this.#usual
    return terminal
  }

  #next(language: string): string {
    const block = this.#blocks.shift()
    assert.equal(block?.language, language, `${this.page}: ${block?.code}`)
    return block?.code ?? ''
  }
}
