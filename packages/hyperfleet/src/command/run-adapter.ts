import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { createLogger } from '@orrery/kube/log'
import { stringify } from 'yaml'
import { AdapterError } from '../adapter-error.js'
import { redacted } from '../config/adapter-config.js'
import { type Adapter, loadAdapter } from '../config/load.js'
import { SETTING_FLAGS } from '../config/overrides.js'
import { dryRun } from '../dry-run/dry-run.js'
import { formatTrace } from '../dry-run/trace.js'
import { parseEvent } from '../run/event.js'
import { execute } from '../run/execute.js'
import { connectApi, connectTransports } from '../serve/connect.js'
import { startAdapterServer } from '../serve/server.js'

const USAGE = `Usage: adapter COMMAND [flags]

Commands:
  serve        Take CloudEvents at POST /events until the adapter is stopped.
  run          Handle one CloudEvent: --event FILE, or - for standard input.
  config-dump  Show the configuration with all overrides, without paths of credentials.
  version      Show the name and version of the adapter.

Flags:
  --config FILE         The adapter config. Default HYPERFLEET_ADAPTER_CONFIG.
  --task-config FILE    The task config. Default HYPERFLEET_TASK_CONFIG.
  --port N              The port for events and probes. Default 8080.
  --metrics-port N      The port for metrics. Default 9090.
  --host ADDRESS        The address of both. Everyone who can connect can send events. Default 127.0.0.1.
  --dry-run-event FILE  With serve: handle this event without sending anything, and show what would happen.
  --dry-run-api-responses FILE, --dry-run-discovery FILE, --dry-run-verbose, --dry-run-output text|json (-o)
  Each setting of the adapter config has a flag, such as --log-level and --maestro-source-id.
`

const COMMANDS = ['serve', 'run', 'config-dump', 'version']
const FILES = ['config', 'task-config', 'event', 'dry-run-event', 'dry-run-api-responses', 'dry-run-discovery']
const strings = [...FILES, 'port', 'metrics-port', 'host', ...SETTING_FLAGS]

const OPTIONS = {
  ...Object.fromEntries(strings.map((name) => [name, { type: 'string' as const }])),
  'dry-run-output': { type: 'string' as const, short: 'o' },
  'dry-run-verbose': { type: 'boolean' as const },
  help: { type: 'boolean' as const, short: 'h' },
}

type Flags = Readonly<Record<string, string | boolean | undefined>>

export interface AdapterIo {
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Ends `serve`. */
  readonly signal: AbortSignal
}

class UsageError extends Error {}

/** Runs the command line of an adapter. Returns the exit code: 0 success, 1 failure, 2 usage error. */
export async function runAdapter(args: readonly string[], io: AdapterIo): Promise<number> {
  try {
    const { command, flags } = parsed(args)
    if (command === undefined || flags.help === true) {
      io.write(USAGE)
      return command === undefined && flags.help !== true ? 2 : 0
    }
    return await runCommand(command, flags, io)
  } catch (error) {
    const { message } = error as Error
    if (error instanceof UsageError) {
      io.writeError(`error: ${message}\nSee --help.\n`)
      return 2
    }
    io.writeError(`error: ${error instanceof AdapterError ? `${message} (${error.code})` : message}\n`)
    return 1
  }
}

function parsed(args: readonly string[]): { command: string | undefined; flags: Flags } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    const [command, ...more] = positionals
    if (command !== undefined && !COMMANDS.includes(command))
      throw new Error(`unknown command ${JSON.stringify(command)}`)
    if (more.length > 0) throw new Error(`unexpected argument ${JSON.stringify(more[0])}`)
    return { command, flags: values }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

async function runCommand(command: string, flags: Flags, io: AdapterIo): Promise<number> {
  const adapter = load(flags, io)
  const { config } = adapter
  switch (command) {
    case 'version':
      io.write(`${[config.adapter.name, config.adapter.version].join(' ').trim()}\n`)
      return 0
    case 'config-dump':
      io.write(stringify(redacted(config.raw)))
      return 0
    case 'run':
      return runOnce(adapter, flags, io)
    default:
      return textFlag(flags, 'dry-run-event') === undefined ? serve(adapter, flags, io) : runDry(adapter, flags, io)
  }
}

const textFlag = (flags: Flags, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

function load(flags: Flags, { environment }: AdapterIo): Adapter {
  const settings = SETTING_FLAGS.flatMap((name) => {
    const value = textFlag(flags, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const [configFile, taskFile] = [textFlag(flags, 'config'), textFlag(flags, 'task-config')]
  return loadAdapter({
    environment,
    flags: Object.fromEntries(settings),
    ...(configFile === undefined ? {} : { configFile }),
    ...(taskFile === undefined ? {} : { taskFile }),
  })
}

async function runDry(adapter: Adapter, flags: Flags, io: AdapterIo): Promise<number> {
  const output = textFlag(flags, 'dry-run-output') ?? 'text'
  if (output !== 'text' && output !== 'json') throw new UsageError(`--dry-run-output ${output}: use text or json`)
  const [responsesFile, discoveryFile] = [
    textFlag(flags, 'dry-run-api-responses'),
    textFlag(flags, 'dry-run-discovery'),
  ]
  const trace = await dryRun({
    adapter,
    eventFile: textFlag(flags, 'dry-run-event') ?? '',
    ...(responsesFile === undefined ? {} : { responsesFile }),
    ...(discoveryFile === undefined ? {} : { discoveryFile }),
  })
  io.write(
    output === 'json'
      ? `${JSON.stringify(trace, undefined, 2)}\n`
      : formatTrace(trace, flags['dry-run-verbose'] === true),
  )
  return trace.status === 'success' ? 0 : 1
}

async function runOnce(adapter: Adapter, flags: Flags, io: AdapterIo): Promise<number> {
  const file = textFlag(flags, 'event')
  if (file === undefined) throw new UsageError('run needs --event FILE, or - for standard input')
  const event = parseEvent(file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'))
  const log = loggerOf(adapter, io)
  const { close, ...transports } = await connectTransports(adapter, log)
  try {
    const result = await execute(event, {
      adapter,
      ...transports,
      api: connectApi(adapter.config),
      log,
      signal: io.signal,
    })
    const { status, skipReason, resources, errors } = result
    io.write(`${JSON.stringify({ status, skipReason, resources, errors })}\n`)
    return status === 'success' ? 0 : 1
  } finally {
    await close()
  }
}

async function serve(adapter: Adapter, flags: Flags, io: AdapterIo): Promise<number> {
  const log = loggerOf(adapter, io)
  const { close, ...transports } = await connectTransports(adapter, log)
  const host = textFlag(flags, 'host')
  try {
    const server = await startAdapterServer({
      adapter,
      ...transports,
      api: connectApi(adapter.config),
      log,
      port: portFlag(flags, 'port', 8080),
      metricsPort: portFlag(flags, 'metrics-port', 9090),
      ...(host === undefined ? {} : { host }),
    })
    io.write(`taking events at http://${host ?? 'localhost'}:${server.port}/events\n`)
    if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener('abort', resolve, { once: true }))
    await server.close()
    return 0
  } finally {
    await close()
  }
}

function portFlag(flags: Flags, name: string, fallback: number): number {
  const value = textFlag(flags, name)
  if (value === undefined) return fallback
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
  throw new UsageError(`--${name} ${value}: use a number from 0 to 65535`)
}

function loggerOf({ config }: Adapter, { writeError }: AdapterIo) {
  return createLogger({ ...config.log, component: config.adapter.name, write: writeError })
}
