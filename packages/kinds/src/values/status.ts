import type { Status, StatusDetails, StatusReason } from '../status.js'
import { type FieldError, formatFieldError, MAX_FIELD_ERRORS } from './field-error.js'

/** An API error. The only error type that crosses package borders. */
export class StatusError extends Error {
  readonly status: Status

  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'unknown failure')
    this.name = 'StatusError'
    this.status = status
  }

  get code(): number {
    return this.status.code ?? 500
  }

  get reason(): StatusReason {
    return this.status.reason ?? ''
  }
}

/** The resource of an error. `resource` is the plural name, as in `kubectl`. */
export interface ResourceName {
  readonly group: string
  readonly resource: string
}

export function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code }
  if (reason !== '') status.reason = reason
  if (details !== undefined) status.details = details
  return new StatusError(status)
}

export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message)
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return failure(401, 'Unauthorized', message)
}

export function forbidden(on: ResourceName, name: string, why: string): StatusError {
  const what = name === '' ? qualified(on) : `${qualified(on)} ${JSON.stringify(name)}`
  const message = qualified(on) === '' ? `forbidden: ${why}` : `${what} is forbidden: ${why}`
  return failure(403, 'Forbidden', message, details(on, name))
}

export function notFound(on: ResourceName, name: string): StatusError {
  return failure(404, 'NotFound', `${qualified(on)} ${JSON.stringify(name)} not found`, details(on, name))
}

/** The server does not know the path, as opposed to an object that does not exist. */
export function noSuchPath(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {})
}

export function methodNotAllowed(on: ResourceName, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${JSON.stringify(qualified(on))}`
  return failure(405, 'MethodNotAllowed', message, details(on, ''))
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)
}

export function alreadyExists(on: ResourceName, name: string): StatusError {
  return failure(409, 'AlreadyExists', `${qualified(on)} ${JSON.stringify(name)} already exists`, details(on, name))
}

export function conflict(on: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(on)} ${JSON.stringify(name)}: ${why}`
  return failure(409, 'Conflict', message, details(on, name))
}

export function expired(message: string): StatusError {
  return failure(410, 'Expired', message)
}

export function tooLarge(message: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', message)
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`
  return failure(415, 'UnsupportedMediaType', message)
}

/** A body of the allowed size can contain more errors than a response should. */
const MAX_CAUSES = 500
/** The same in characters: one error can have a long list of supported values. The first is always included. */
const MAX_CAUSES_LENGTH = 256 * 1024

/** `kind` is the kind with its group, as in `Deployment.apps "web" is invalid: ...`. */
export function invalid(
  kind: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const what = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const told = errors.slice(0, toldCount(errors)).map(withBoundedBody)
  const lines = told.map(formatFieldError)
  if (errors.length > told.length) {
    // Checks stop at this number: there can be more.
    const atLeast = errors.length >= MAX_FIELD_ERRORS ? 'at least ' : ''
    lines.push(`and ${atLeast}${errors.length - told.length} more errors`)
  }
  const list = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  const causes = told.map((error) => ({ reason: error.reason, message: error.body, field: error.field || '<nil>' }))
  const about: StatusDetails = { kind: kind.kind, causes }
  if (name !== '') about.name = name
  if (kind.group !== '') about.group = kind.group
  return failure(422, 'Invalid', `${what} ${JSON.stringify(name)} is invalid: ${list}`, about)
}

function toldCount(errors: readonly FieldError[]): number {
  const limit = Math.min(errors.length, MAX_CAUSES)
  let length = 0
  for (let count = 0; count < limit; count++) {
    const error = errors[count]
    if (error !== undefined) length += error.field.length + error.body.length
    if (length > MAX_CAUSES_LENGTH) return Math.max(count, 1)
  }
  return limit
}

function withBoundedBody(error: FieldError): FieldError {
  if (error.body.length <= MAX_CAUSES_LENGTH) return error
  return { ...error, body: `${error.body.slice(0, MAX_CAUSES_LENGTH)}...` }
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds })
}

export function internalError(message: string): StatusError {
  const details = { causes: [{ message }] }
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, details)
}

export function serviceUnavailable(message: string): StatusError {
  return failure(503, 'ServiceUnavailable', message)
}

export function timeout(message: string, retryAfterSeconds?: number): StatusError {
  return failure(504, 'Timeout', message, retryAfterSeconds === undefined ? undefined : { retryAfterSeconds })
}

/** Specific reasons; for any other, or none, the code decides. */
const TELLING: ReadonlySet<string> = new Set<StatusReason>([
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Expired',
  'Invalid',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'TooManyRequests',
  'InternalError',
  'ServerTimeout',
  'ServiceUnavailable',
  'StorageReadError',
  'Timeout',
])

/** Also checks the cause of an error, so that errors may be wrapped. */
const hasReason =
  (code: number | undefined, ...reasons: StatusReason[]) =>
  (error: unknown): error is Error => {
    for (let at = error; at instanceof Error; at = at.cause) {
      if (!(at instanceof StatusError)) continue
      return TELLING.has(at.reason) ? reasons.includes(at.reason) : at.code === code
    }
    return false
  }

export const isNotFound = hasReason(404, 'NotFound')
export const isAlreadyExists = hasReason(undefined, 'AlreadyExists')
export const isConflict = hasReason(409, 'Conflict')
export const isInvalid = hasReason(422, 'Invalid')
export const isBadRequest = hasReason(400, 'BadRequest')
export const isForbidden = hasReason(403, 'Forbidden')
export const isUnauthorized = hasReason(401, 'Unauthorized')
export const isMethodNotAllowed = hasReason(405, 'MethodNotAllowed')
export const isTooLarge = hasReason(413, 'RequestEntityTooLarge')
export const isServerTimeout = hasReason(undefined, 'ServerTimeout')
export const isTimeout = hasReason(504, 'Timeout')
export const isServiceUnavailable = hasReason(503, 'ServiceUnavailable')
export const isInternalError = hasReason(500, 'InternalError')
export const isTooManyRequests = hasReason(429, 'TooManyRequests')
/** The requested state is no longer available: list again. */
export const isGone = hasReason(410, 'Gone', 'Expired')

function qualified(on: ResourceName): string {
  return on.group === '' ? on.resource : `${on.resource}.${on.group}`
}

function details(on: ResourceName, name: string): StatusDetails {
  const details: StatusDetails = {}
  if (name !== '') details.name = name
  if (on.group !== '') details.group = on.group
  if (on.resource !== '') details.kind = on.resource
  return details
}
