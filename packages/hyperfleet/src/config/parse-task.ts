import type { JsonObject, JsonValue } from '@orrery/kinds'
import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired, isObject } from '@orrery/kinds/values'
import { BACKOFFS } from './adapter-config.js'
import { NAME, nameOf, optional, type ReadReference, readFile, whenOf } from './parse-parts.js'
import { parseResource } from './parse-resource.js'
import { Reader, throwErrors } from './reader.js'
import {
  type ApiCall,
  type Capture,
  type FieldCondition,
  type LogAction,
  OPERATORS,
  PARAM_TYPES,
  type Param,
  type ParamSource,
  type Payload,
  type PostAction,
  type Precondition,
  type TaskConfig,
} from './task-config.js'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Checks the shape of a task; `checkTask` checks its templates and expressions. */
export function parseTask(
  raw: JsonObject,
  file: string,
  read: ReadReference,
  parseYaml: (text: string) => unknown,
  clients: { readonly hasMaestro: boolean },
): TaskConfig {
  const reader = new Reader(raw)
  const post = reader.object('post')
  const task: TaskConfig = {
    params: reader.list('params', parseParam),
    preconditions: reader.list('preconditions', parsePrecondition),
    resources: reader.list('resources', (item) => parseResource(item, read, clients)),
    payloads: post?.list('payloads', (item) => parsePayload(item, read, parseYaml)) ?? [],
    postActions: post?.list('post_actions', parsePostAction) ?? [],
  }
  post?.end()
  reader.end()
  checkNames(reader, 'params', task.params)
  checkNames(reader, 'preconditions', task.preconditions)
  const nested = task.resources.flatMap(({ nestedDiscoveries }) => nestedDiscoveries)
  checkNames(reader, 'resources', [...task.resources, ...nested])
  throwErrors(file, reader.errors)
  return task
}

function checkNames(reader: Reader, list: string, items: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of items) {
    if (name !== '' && seen.has(name)) reader.errors.push(fieldDuplicate(`${list}[name=${name}]`, name))
    seen.add(name)
  }
}

function parseParam(item: Reader): Param {
  item.value('description')
  return {
    name: nameOf(item, NAME),
    source: sourceOf(item),
    required: item.boolean('required'),
    ...optional('type', item.choice('type', PARAM_TYPES)),
    ...optional('default', item.value('default')),
  }
}

function sourceOf(item: Reader): ParamSource {
  const value = item.value('source')
  if (value === undefined || value === '') return { type: 'none' }
  if (typeof value === 'string') return { type: 'path', path: value }
  const source = item.object('source')
  if (source === undefined) return { type: 'none' }
  const kinds = ['api_call', 'expression', 'file'].filter((key) => source.has(key))
  if (kinds.length !== 1) {
    item.errors.push(
      fieldInvalid(source.path, Object.keys(value as object), 'must have one of api_call, expression, file'),
    )
    return { type: 'none' }
  }
  source.end()
  if (kinds[0] === 'expression') return { type: 'expression', expression: source.requiredString('expression') }
  if (kinds[0] === 'api_call') return { type: 'apiCall', call: parseApiCall(source) as ApiCall }
  const file = source.object('file')
  const trim = file?.has('trim') ? file.boolean('trim') : true
  const path = file?.requiredString('path') ?? ''
  file?.end()
  return { type: 'file', path, trim }
}

function parseApiCall(item: Reader): ApiCall | undefined {
  const call = item.object('api_call')
  if (call === undefined) return undefined
  const method = call.requiredString('method').toUpperCase() as ApiCall['method']
  if ((method as string) !== '' && !METHODS.includes(method)) {
    call.errors.push(fieldNotSupported(call.at('method'), method, METHODS))
  }
  const parsed: ApiCall = {
    method,
    url: call.requiredString('url'),
    headers: call.list('headers', (header) => ({
      name: header.requiredString('name'),
      value: header.string('value') ?? '',
    })),
    ...optional('timeoutMilliseconds', call.duration('timeout')),
    ...optional('retryAttempts', call.count('retry_attempts')),
    ...optional('retryBackoff', call.choice('retry_backoff', BACKOFFS)),
    ...optional('body', call.string('body')),
  }
  call.end()
  return parsed
}

function parseLog(item: Reader): LogAction | undefined {
  const log = item.object('log')
  if (log === undefined) return undefined
  const level = log.choice('level', ['debug', 'info', 'warn', 'warning', 'error']) ?? 'info'
  const message = log.requiredString('message')
  log.end()
  return { level: level === 'warning' ? 'warn' : level, message }
}

function parsePrecondition(item: Reader): Precondition {
  const expression = item.string('expression')
  const conditions = item.list('conditions', parseCondition)
  const apiCall = parseApiCall(item)
  if (expression === undefined && conditions.length === 0 && apiCall === undefined) {
    item.errors.push(fieldRequired(item.path, 'set expression or conditions'))
  }
  return {
    name: nameOf(item, NAME),
    conditions,
    capture: item.list('capture', parseCapture),
    ...optional('expression', expression),
    ...optional('apiCall', apiCall),
    ...optional('log', parseLog(item)),
  }
}

function parseCondition(item: Reader): FieldCondition {
  const operator = item.choice('operator', OPERATORS)
  if (!item.has('operator')) item.errors.push(fieldRequired(item.at('operator')))
  const value = item.value('value') ?? item.value('values')
  if (operator !== undefined && operator !== 'exists' && value === undefined) {
    item.errors.push(fieldRequired(item.at('value'), `the operator ${operator} compares with it`))
  }
  if ((operator === 'in' || operator === 'notIn') && value !== undefined && !Array.isArray(value)) {
    item.errors.push(fieldInvalid(item.at('value'), value, 'must be a list'))
  }
  item.value('values')
  return { field: item.requiredString('field'), operator: operator ?? 'equals', ...optional('value', value) }
}

function parseCapture(item: Reader): Capture {
  const [field, expression] = [item.string('field'), item.string('expression')]
  if ((field === undefined) === (expression === undefined)) {
    item.errors.push(fieldInvalid(item.path, item.keys(), 'must have one of field, expression'))
  }
  return {
    name: nameOf(item, NAME),
    ...optional('field', field),
    ...optional('expression', expression),
    ...optional('default', item.value('default')),
  }
}

function parsePayload(item: Reader, read: ReadReference, parseYaml: (text: string) => unknown): Payload {
  const [build, ref] = [item.value('build'), item.string('build_ref')]
  let content: JsonValue | undefined = build
  if ((build === undefined) === (ref === undefined)) {
    item.errors.push(fieldInvalid(item.path, item.keys(), 'must have one of build, build_ref'))
  } else if (ref !== undefined) {
    const text = readFile(item, 'build_ref', ref, read)
    content = text === '' ? {} : (parseYaml(text) as JsonValue)
  }
  if (content !== undefined && !isObject(content))
    item.errors.push(fieldInvalid(item.path, ref ?? build, 'must be an object'))
  return { name: nameOf(item, NAME), build: isObject(content) ? content : {}, ...optional('when', whenOf(item)) }
}

function parsePostAction(item: Reader): PostAction {
  const [apiCall, log] = [parseApiCall(item), parseLog(item)]
  if (apiCall === undefined && log === undefined) item.errors.push(fieldRequired(item.path, 'set api_call or log'))
  return {
    name: nameOf(item, /^[a-zA-Z][\w-]*$/),
    ...optional('when', whenOf(item)),
    ...optional('apiCall', apiCall),
    ...optional('log', log),
  }
}
