import { AsyncLocalStorage } from 'node:async_hooks'
import { type CommandResult, orrery } from './cli.js'

interface CommandLine {
  program(): { parseAsync(words: readonly string[], options: { readonly from: 'user' }): Promise<unknown> }
}

interface Failures {
  reportFailure(error: unknown): number
}

const MODULES = new URL('../../../packages/cli/dist/', import.meta.url)

/** Commands that end by themselves and start nothing. */
const COMMANDS: readonly string[] = ['accept', 'create', 'delete', 'describe', 'explain', 'get', 'plan']

interface Printed {
  out: string
  errors: string
}

const printed = new AsyncLocalStorage<Printed>()
const started = new Set<string>()
let isDiverted = false
let isBusy = false

/**
 * Runs `orrery` with arguments. The first run of a command starts the executable, and further runs happen in this
 * process: starting Node and loading the bundle takes many times longer than most commands.
 */
export async function orreryHere(...args: readonly string[]): Promise<CommandResult> {
  const [command = ''] = args
  const key = args.slice(0, 2).join(' ')
  // The exit code is a property of the process: one command at a time. Standard input is that of the tests.
  if (isBusy || !COMMANDS.includes(command) || args.includes('-') || !started.has(key)) {
    started.add(key)
    return orrery(...args)
  }
  isBusy = true
  const before = process.exitCode
  process.exitCode = undefined
  try {
    const result = { out: '', errors: '' }
    await printed.run(result, () => runCommand(args))
    return { code: Number(process.exitCode ?? 0), ...result }
  } finally {
    process.exitCode = before
    isBusy = false
  }
}

async function runCommand(args: readonly string[]): Promise<void> {
  const { program } = (await import(new URL('program.js', MODULES).href)) as CommandLine
  const { reportFailure } = (await import(new URL('failure.js', MODULES).href)) as Failures
  divertOutput()
  try {
    await program().parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = reportFailure(error)
  }
}

/** Collects what a command prints. The output of everything else, such as the test runner, stays as it is. */
function divertOutput(): void {
  if (isDiverted) return
  isDiverted = true
  for (const [stream, kind] of [
    [process.stdout, 'out'],
    [process.stderr, 'errors'],
  ] as const) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean
    stream.write = (...given: unknown[]) => {
      const result = printed.getStore()
      if (result === undefined) return write(...given)
      result[kind] += String(given[0])
      return true
    }
  }
}
