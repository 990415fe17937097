import { AsyncLocalStorage } from 'node:async_hooks'
import { type CommandResult, startOrrery } from './cli.js'

interface CommandLine {
  program(): { parseAsync(words: readonly string[], options: { readonly from: 'user' }): Promise<unknown> }
}

interface Failures {
  reportFailure(error: unknown): number
}

const MODULES = new URL('../../../packages/cli/dist/', import.meta.url)

/** Commands that end by themselves and start nothing, and the only subcommands of which that is true. */
const COMMANDS: Readonly<Record<string, readonly string[] | undefined>> = {
  accept: undefined,
  addon: ['create', 'disable', 'enable', 'reports', 'status'],
  apiserver: ['backup', 'compact', 'restore'],
  clusterset: undefined,
  create: undefined,
  delete: undefined,
  describe: undefined,
  down: undefined,
  explain: undefined,
  get: undefined,
  init: undefined,
  maestro: ['apply', 'delete', 'get'],
  plan: undefined,
  status: undefined,
  unjoin: undefined,
}

interface Printed {
  out: string
  errors: string
}

const printed = new AsyncLocalStorage<Printed>()
const started = new Set<string>()
let isDiverted = false
let isBusy = false

/**
 * Runs `orrery` with arguments until it ends by itself. The first run of a command starts the executable, and further
 * runs happen in this process if possible: starting Node and loading the bundle takes many times longer than most
 * commands.
 */
export function orrery(...args: readonly string[]): Promise<CommandResult> {
  return orreryIn({}, ...args)
}

/** The same, with further environment variables. */
export async function orreryIn(variables: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<CommandResult> {
  const key = args.slice(0, 2).join(' ')
  // Standard input is that of the tests.
  if (isBusy || !endsByItself(args) || args.includes('-') || !started.has(key)) {
    started.add(key)
    return startOrrery(args, variables)
  }
  return inThisProcess(args, variables)
}

/** The same for arguments with which any command, for example `join`, prints or refuses something and starts nothing. */
export async function orreryAtOnce(...args: readonly string[]): Promise<CommandResult> {
  return isBusy ? startOrrery(args) : inThisProcess(args, {})
}

function endsByItself([command = '', subcommand = '']: readonly string[]): boolean {
  return Object.hasOwn(COMMANDS, command) && COMMANDS[command]?.includes(subcommand) !== false
}

/** The exit code and the environment are properties of the process: one command at a time. */
async function inThisProcess(args: readonly string[], variables: NodeJS.ProcessEnv): Promise<CommandResult> {
  isBusy = true
  const code = process.exitCode
  const environment = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  process.exitCode = undefined
  setVariables(Object.entries(variables))
  try {
    const result = { out: '', errors: '' }
    await printed.run(result, () => runCommand(args))
    return { code: Number(process.exitCode ?? 0), ...result }
  } finally {
    process.exitCode = code
    setVariables(environment)
    isBusy = false
  }
}

function setVariables(variables: readonly (readonly [name: string, value: string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
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
