export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type LogFields = Readonly<Record<string, unknown>>

/** Structured logging: a constant message and fields. Secrets are redacted. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Whether lines of a level are written: check it before expensive work for a line. */
  enables(level: LogLevel): boolean
  /** The same log, with a component on each line. */
  child(component: string): Logger
}

export interface LoggerOptions {
  /** Drop lines below this level. Default `info`. */
  readonly level?: LogLevel
  /** One JSON object for each line, or short lines for people. Default `json`. */
  readonly format?: 'json' | 'text'
  readonly component?: string
  /** Default the system clock. */
  readonly now?: () => Date
  /** Receives whole lines, with their newline. Default: they go to stderr. */
  readonly write?: (line: string) => void
}

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }
const REDACTED = '[redacted]'
const MAX_DEPTH = 6
const MAX_STRING = 8_192
const MAX_ITEMS = 100
const SECRET_KEY = /token|password|passwd|secret|authorization|cookie|credential|private.?key|api.?key|bearer/i
/** Fields that are named like a secret but only identify one. */
const HARMLESS_KEY = /(name|uid|kind|id|count|type|namespace)$/i

/** A log that writes nothing. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  enables: () => false,
  child: () => silentLogger,
}

export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', format = 'json', component = '', now = () => new Date(), write = writeToStderr } = options
  const threshold = SEVERITY[level]
  const formatLine = format === 'json' ? jsonLine : textLine
  const enables = (lineLevel: LogLevel) => SEVERITY[lineLevel] >= threshold
  const at = (lineLevel: LogLevel) => {
    if (!enables(lineLevel)) return () => undefined
    return (message: string, fields: LogFields = {}) =>
      write(printable(formatLine({ time: now(), level: lineLevel, component, message, fields: redactFields(fields) })))
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    enables,
    child: (name) => createLogger({ ...options, component: component === '' ? name : `${component}.${name}` }),
  }
}

/** Characters that terminals act on, or that turn the direction of text, and that JSON does not escape. */
const ACTIVE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Escapes characters that terminals act on in JSON: texts of others, such as the errors of a server, may have them. */
export function printable(line: string): string {
  return line.replace(ACTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function writeToStderr(line: string): void {
  process.stderr.write(line)
}

/** Writes warnings and errors to stderr: the default of informers and controllers, so that no failure is lost. */
export const stderrLogger: Logger = createLogger({ level: 'warn' })

interface Line {
  readonly time: Date
  readonly level: LogLevel
  readonly component: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

function jsonLine({ time, level, component, message, fields }: Line): string {
  const head = { time: time.toISOString(), level, ...(component === '' ? {} : { component }), message }
  return `${JSON.stringify({ ...fields, ...head })}\n`
}

function textLine({ time, level, component, message, fields }: Line): string {
  const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${formatValue(value)}`)
  const source = component === '' ? '' : `${component}: `
  return `${time.toISOString().slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${source}${message}${pairs.join('')}\n`
}

function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value)
}

/** A copy for the log: secrets redacted, errors expanded, size limited. */
function redactFields(fields: LogFields): Record<string, unknown> {
  return redactObject(fields, 0)
}

function redactObject(object: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const isSecret = object.kind === 'Secret'
  const copy: [string, unknown][] = []
  for (const [key, value] of Object.entries(object).slice(0, MAX_ITEMS)) {
    if (value === undefined) continue
    const hidden = (isSecret && (key === 'data' || key === 'stringData')) || isSecretKey(key)
    copy.push([key, hidden ? REDACTED : redactValue(value, depth + 1)])
  }
  return Object.fromEntries(copy)
}

function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key) && !HARMLESS_KEY.test(key)
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > MAX_STRING ? `${value.slice(0, MAX_STRING)}…` : value
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (depth > MAX_DEPTH) return '…'
  if (value instanceof Error) return redactError(value, depth)
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1))
  return redactObject(value as Record<string, unknown>, depth)
}

function redactError(error: Error, depth: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1) }),
  }
}
