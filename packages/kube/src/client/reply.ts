import { failure, isObject, noSuchPath, type Status, StatusError, type StatusReason } from '@orrery/kinds/values'
import type { HttpResponse } from './transport.js'
import { statusFrom } from './wire-status.js'

/** The reason for a code, for servers and proxies that send no `Status`. */
const REASONS: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Empty for a code without a reason. */
export function reasonOfCode(code: number): StatusReason {
  return REASONS[code] ?? ''
}

const MAX_TEXT = 2_000
const LOOKS_LIKE_JSON = /^\s*[[{"]/

/** The body of a successful response; throws a `StatusError` for any other. */
export async function readJson<T>(response: HttpResponse): Promise<T> {
  if (response.status >= 400) throw await failureOf(response)
  const text = (await response.bytes()).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The page of a proxy shows who responded. Broken JSON may be part of a Secret and is not quoted.
    const page = LOOKS_LIKE_JSON.test(text) ? '' : `: ${shortened(text)}`
    throw failure(response.status, 'InternalError', `the response is not JSON${page}`)
  }
  if (typeof value === 'object' && value !== null) return value as T
  throw failure(response.status, 'InternalError', 'the response is not an object')
}

/** The error of a failed response. */
export async function failureOf(response: HttpResponse): Promise<StatusError> {
  const text = (await response.bytes()).toString('utf8')
  const status = statusOf(text, response.status)
  if (status !== undefined) return new StatusError(status)
  if (response.status === 404) return noSuchPath()
  const message = text.trim() === '' ? `the server responded with ${response.status}` : shortened(text.trim())
  const retryAfterSeconds = retryAfter(response)
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }
  return failure(response.status, reasonOfCode(response.status), message, details)
}

function statusOf(text: string, code: number): Status | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && value.kind === 'Status' ? statusFrom(value, code) : undefined
  } catch {
    return undefined
  }
}

/** The seconds in `Retry-After`. Dates, which no API server sends, are ignored. */
export function retryAfter(response: HttpResponse): number | undefined {
  const header = response.headers['retry-after']
  const seconds = Number(typeof header === 'string' ? header : undefined)
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined
}

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
