import { readFile, stat } from 'node:fs/promises'
import { isObject } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { Param, ParamType } from '../config/task-config.js'
import { type CallContext, callApi } from './api-call.js'
import type { Execution } from './execution.js'

const MAX_FILE_BYTES = 1024 * 1024

/** Resolves the parameters of a task in order. Throws if a required one has no value. */
export async function resolveParams(execution: Execution, context: CallContext, log: Logger): Promise<void> {
  for (const param of context.adapter.task.params) {
    const value = await paramValue(param, execution, context, log)
    if (value !== undefined && value !== null) execution.params[param.name] = value
    else if (param.required)
      throw new Error(`param ${JSON.stringify(param.name)} is required: ${describe(param)} has no value`)
  }
}

async function paramValue(param: Param, execution: Execution, context: CallContext, log: Logger): Promise<unknown> {
  try {
    const found = await sourceValue(param, execution, context)
    const value = found === undefined || found === null || found === '' ? (param.default ?? found) : found
    const isTyped = param.type !== undefined && (param.source.type === 'path' || param.source.type === 'file')
    return isTyped && value !== undefined && value !== null ? converted(value, param.type as ParamType) : value
  } catch (error) {
    const message = `param ${JSON.stringify(param.name)}: ${describe(param)}: ${(error as Error).message}`
    if (param.required) throw new Error(message, { cause: error })
    log.warn('an optional parameter has no value', { param: param.name, error: message })
    return param.default
  }
}

function describe({ source }: Param): string {
  switch (source.type) {
    case 'none':
      return 'default'
    case 'path':
      return source.path
    case 'apiCall':
      return `${source.call.method} ${source.call.url}`
    case 'expression':
      return `expression ${JSON.stringify(source.expression.trim())}`
    case 'file':
      return `file ${source.path}`
  }
}

async function sourceValue(
  { source, default: fallback }: Param,
  execution: Execution,
  context: CallContext,
): Promise<unknown> {
  switch (source.type) {
    case 'none':
      return fallback
    case 'path':
      return pathValue(source.path, execution, context)
    case 'expression': {
      const result = context.adapter.expressions.evaluate(source.expression, execution.variables)
      if (!result.ok) throw new Error(result.message)
      return result.value
    }
    case 'apiCall': {
      const { body } = await callApi(source.call, execution.params, context)
      return JSON.parse(body) as unknown
    }
    case 'file': {
      if ((await stat(source.path)).size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`)
      const text = await readFile(source.path, 'utf8')
      return source.trim ? text.trim() : text
    }
  }
}

/** `event.…`, `env.…`, `config.…`, an earlier parameter, or a path in the data of the event. */
function pathValue(path: string, execution: Execution, { adapter }: CallContext): unknown {
  const [first = '', ...rest] = path.split('.')
  if (first === 'env') return adapter.environment[rest.join('.')]
  // Only here are the paths of credentials visible: a task has to name them.
  if (first === 'config') return nested(adapter.config.raw, rest)
  if (Object.hasOwn(execution.params, first)) return nested(execution.params[first], rest)
  return nested(execution.params.event, [first, ...rest])
}

function nested(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}

function converted(value: unknown, type: ParamType): unknown {
  if (type === 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (type === 'bool') return booleanOf(value)
  const number =
    typeof value === 'boolean'
      ? Number(value)
      : typeof value === 'string' && value.trim() !== ''
        ? Number(value)
        : value
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw new Error(`cannot convert ${JSON.stringify(value)} to ${type}`)
  return type.startsWith('int') ? Math.trunc(number) : number
}

const TRUE = ['true', 't', '1', 'yes', 'y', 'on']
const FALSE = ['false', 'f', '0', 'no', 'n', 'off', '']

function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  if (text !== undefined && TRUE.includes(text)) return true
  if (text !== undefined && FALSE.includes(text)) return false
  throw new Error(`cannot convert ${JSON.stringify(value)} to bool`)
}
