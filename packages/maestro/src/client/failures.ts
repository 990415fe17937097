import {
  alreadyExists,
  badRequest,
  conflict,
  failure,
  forbidden,
  isObject,
  notFound,
  type ResourceName,
  type StatusError,
  serviceUnavailable,
  tooLarge,
  unauthorized,
} from '@orrery/kinds/values'
import { type HttpResponse, reasonOfCode, retryAfter } from '@orrery/kube/client'
import { ConnectionError, isTlsFailure } from '@orrery/kube/transport'

export const WORKS: ResourceName = { group: 'work.open-cluster-management.io', resource: 'manifestworks' }
export const CONSUMERS: ResourceName = { group: '', resource: 'consumers' }

/** What a request is about, for errors. */
export interface Target {
  readonly on: ResourceName
  readonly name: string
}

/** The numbers of gRPC's status codes. */
const Grpc = {
  Cancelled: 1,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  Internal: 13,
  Unavailable: 14,
  Unauthenticated: 16,
} as const

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

/** The error of a REST response. */
export async function restFailure(response: HttpResponse, { on, name }: Target): Promise<StatusError> {
  const { status } = response
  const { code, reason } = errorIn((await response.bytes()).toString('utf8'))
  if (status === 404 && code === 'maestro-7') return notFound(on, name)
  if (status === 409 && code === 'maestro-6') return alreadyExists(on, name)
  const message = reason ?? `the Maestro server responded with ${status}`
  if (status === 502) return serviceUnavailable(message)
  if (status === 504) return serverTimeout(message)
  const seconds = retryAfter(response)
  return failure(
    status,
    reasonOfCode(status),
    message,
    seconds === undefined ? undefined : { retryAfterSeconds: seconds },
  )
}

/** The body of an error of Maestro. */
function errorIn(text: string): { readonly code?: string; readonly reason?: string } {
  try {
    const body: unknown = JSON.parse(text)
    if (isObject(body) && typeof body.code === 'string' && typeof body.reason === 'string') {
      return { code: body.code, reason: `${body.code}: ${body.reason}` }
    }
  } catch {
    // A proxy responded, or the connection ended early: the code has to do.
  }
  return {}
}

/** The error of a request without a response. Others are returned as they are. */
export function connectionFailure(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return withCause(serverTimeout(error.message), error)
  if (!(error instanceof ConnectionError)) return error
  if (error.code === 'ETIMEDOUT') return withCause(serverTimeout(error.message), error)
  // Another attempt does not make a certificate valid.
  if (isTlsFailure(error)) return error
  return withCause(serviceUnavailable(error.message), error)
}

/** The error of gRPC for a published work, or for a subscription. Others are returned as they are. */
export function grpcFailure(error: unknown, consumer: string, name: string): unknown {
  if (error instanceof ConnectionError) return connectionFailure(error)
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return error
  const details = 'details' in error && typeof error.details === 'string' ? error.details : error.message
  const ofText = CLEAR_CODES.has(error.code) ? undefined : failureOfText(details, consumer, name)
  const known = ofText ?? failureOfCode(error.code, details, name)
  return withCause(known, error)
}

/** Codes that say more than the text, which may have the same beginning as for other errors. */
const CLEAR_CODES: ReadonlySet<number> = new Set([Grpc.Unauthenticated, Grpc.Unavailable, Grpc.DeadlineExceeded])

/** Maestro in Go sends all errors with the code Unknown: only the text distinguishes them. */
function failureOfText(text: string, consumer: string, name: string): StatusError | undefined {
  if (text.includes('fk_resources_consumers')) return missingConsumer(consumer)
  if (text.includes('is not the latest')) return conflict(WORKS, name, MODIFIED)
  if (text.includes('under deletion')) return conflict(WORKS, name, 'the work is being deleted')
  if (text.includes('already exists')) return alreadyExists(WORKS, name)
  if (text.includes('maestro-7')) return notFound(WORKS, name)
  if (/maestro-(8|17|21):|failed to (convert|decode|parse)/.test(text)) return badRequest(text)
  if (/unauthorized to (publish|subscribe)|failed to authorize/.test(text)) return forbidden(WORKS, name, text)
  return undefined
}

function failureOfCode(code: number, text: string, name: string): StatusError {
  switch (code) {
    case Grpc.Unavailable:
      return serviceUnavailable(`the gRPC port of Maestro is unavailable: ${text}`)
    case Grpc.DeadlineExceeded:
      return serverTimeout(`the gRPC port of Maestro does not respond: ${text}`)
    case Grpc.ResourceExhausted:
      return /larger than max|too large/i.test(text) ? tooLarge(text) : failure(429, 'TooManyRequests', text)
    case Grpc.Unauthenticated:
      return unauthorized(`the Maestro server rejected the credentials: ${text}`)
    case Grpc.PermissionDenied:
      return forbidden(WORKS, name, text)
    case Grpc.AlreadyExists:
      return alreadyExists(WORKS, name)
    case Grpc.NotFound:
      return notFound(WORKS, name)
    case Grpc.Aborted:
    case Grpc.FailedPrecondition:
      return conflict(WORKS, name, text)
    case Grpc.InvalidArgument:
      return badRequest(text)
    default:
      return failure(500, 'InternalError', text)
  }
}

function missingConsumer(consumer: string): StatusError {
  const message = `consumer ${JSON.stringify(consumer)} is not registered in Maestro: create it first`
  return failure(404, 'NotFound', message, { kind: CONSUMERS.resource, name: consumer })
}

function serverTimeout(message: string): StatusError {
  return failure(504, 'ServerTimeout', message)
}

function withCause(error: StatusError, cause: unknown): StatusError {
  error.cause = cause
  return error
}
