import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { parse } from 'yaml'
import { AdapterError } from '../adapter-error.js'
import { Expressions } from '../expressions/expressions.js'
import { Templates } from '../template/template.js'
import { type AdapterConfig, parseAdapterConfig } from './adapter-config.js'
import { checkTask, variablesOf } from './check-task.js'
import { withOverrides } from './overrides.js'
import { parseTask } from './parse-task.js'
import type { TaskConfig } from './task-config.js'

export interface LoadOptions {
  /** Default the environment variable `HYPERFLEET_ADAPTER_CONFIG`. */
  readonly configFile?: string
  /** Default the environment variable `HYPERFLEET_TASK_CONFIG`. */
  readonly taskFile?: string
  /** Values of flags by name, without the dashes. They take precedence over the environment. */
  readonly flags?: Readonly<Record<string, string>>
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly now?: () => Date
}

/** A checked configuration with the languages of its task. */
export interface Adapter {
  readonly config: AdapterConfig
  readonly task: TaskConfig
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly expressions: Expressions
  readonly templates: Templates
  readonly now: () => Date
}

/** Loads and checks both files of an adapter. The error names every field that is not valid. */
export function loadAdapter(options: LoadOptions = {}): Adapter {
  const { environment = process.env, flags = {}, now = () => new Date() } = options
  const configFile = options.configFile ?? environment.HYPERFLEET_ADAPTER_CONFIG
  const taskFile = options.taskFile ?? environment.HYPERFLEET_TASK_CONFIG
  if (!configFile) throw missing('adapter config', '--config', 'HYPERFLEET_ADAPTER_CONFIG')
  if (!taskFile) throw missing('task config', '--task-config', 'HYPERFLEET_TASK_CONFIG')
  const config = parseAdapterConfig(withOverrides(readObject(configFile), environment, flags), configFile)
  const read = (path: string) => readFileSync(resolve(dirname(taskFile), path), 'utf8')
  const task = parseTask(readObject(taskFile), taskFile, read, parse, { hasMaestro: config.maestro !== undefined })
  const templates = new Templates(now)
  const expressions = new Expressions(variablesOf(task), now)
  checkTask(task, taskFile, { expressions, templates })
  return { config, task, environment, expressions, templates, now }
}

function missing(what: string, flag: string, variable: string): AdapterError {
  return new AdapterError('AdapterConfigNotFound', `the ${what} is not set: use ${flag} FILE or set ${variable}`)
}

function readObject(file: string): JsonObject {
  let parsed: unknown
  try {
    parsed = parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const kind = code === 'ENOENT' ? 'AdapterConfigNotFound' : 'Configuration'
    throw new AdapterError(kind, `cannot read ${file}: ${message}`, { cause: error })
  }
  if (isObject(parsed)) return parsed
  throw new AdapterError('Configuration', `${file} is not valid: it must contain one object`)
}
