import { STATUS_CODES } from 'node:http'
import { type FieldError, StatusError } from '@orrery/kinds/values'
import { isConnectionError } from '@orrery/kube/transport'
import { WireError } from '../../wire/fields.js'

/** A problem with one field of a request. */
export interface FieldProblem {
  readonly field: string
  readonly detail: string
}

/** A failed request: an error of RFC 9457 for users, and `{error}` for agents. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly errors: readonly FieldProblem[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    detail: string,
    more: {
      readonly errors?: readonly FieldProblem[]
      readonly headers?: Readonly<Record<string, string>>
      readonly cause?: unknown
    } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.errors = more.errors ?? []
    this.headers = more.headers ?? {}
  }

  /** The body of RFC 9457. */
  toJson(instance: string): object {
    return {
      type: 'about:blank',
      title: STATUS_CODES[this.status] ?? 'Error',
      status: this.status,
      detail: this.message,
      instance,
      ...(this.errors.length > 0 && { errors: this.errors }),
    }
  }
}

/** A field that is not valid. */
export function fieldProblem(field: string, detail: string): Problem {
  return new Problem(422, `${field}: ${detail}`, { errors: [{ field, detail }] })
}

/** The problem that a client gets for an error. The text of an unexpected error is for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof WireError)
    return new Problem(400, error.message, { errors: error.fields.map(ofField), cause: error })
  if (error instanceof StatusError) return ofStatus(error)
  if (isConnectionError(error)) {
    const headers = { 'retry-after': '1' }
    return new Problem(503, 'the API server of the hub cannot be reached: try again', { headers, cause: error })
  }
  return new Problem(500, 'the server has failed: see its log', { cause: error })
}

function ofStatus(error: StatusError): Problem {
  const { code, message, status } = error
  const causes = status.details?.causes ?? []
  const errors = causes.flatMap(({ field, message: detail }) =>
    field === undefined || detail === undefined ? [] : [{ field, detail }],
  )
  const headers: Record<string, string> = {}
  if (code === 401) headers['www-authenticate'] = 'Bearer'
  if (code === 429 || code === 503) headers['retry-after'] = String(status.details?.retryAfterSeconds ?? 1)
  return new Problem(code >= 400 ? code : 500, message, { errors, headers, cause: error })
}

function ofField({ field, body }: FieldError): FieldProblem {
  return { field, detail: body }
}
