import { MaestroError } from '../errors.js'
import { type Answer, jsonAnswer } from './answer.js'
import { ERRORS_PATH } from './paths.js'

/** The body of an error, as Maestro sends it. */
export function errorBody({ id, reason }: { id: number; reason: string }, operationId: string): object {
  return {
    kind: 'Error',
    id: String(id),
    href: `${ERRORS_PATH}/${id}`,
    code: `maestro-${id}`,
    reason,
    operation_id: operationId,
  }
}

export function errorAnswer(error: MaestroError, operationId: string): Answer {
  return jsonAnswer(error.httpStatus, errorBody(error, operationId))
}

/** Maestro answers unknown paths with another body than other errors. */
export function noSuchPath(path: string): Answer {
  return jsonAnswer(404, {
    type: 'Error',
    id: '404',
    href: `${ERRORS_PATH}/404`,
    code: 'maestro-404',
    reason: `The requested resource '${path}' doesn't exist`,
  })
}

/** Classes of PostgreSQL's errors for a connection that failed, a server that stops, and one without resources. */
const UNAVAILABLE = /^(08|57P|53)/
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
/** Values that PostgreSQL cannot compute with, such as a division by zero in a search. */
const BAD_VALUE = /^22/

/** The error that a client gets. The text of the database is for the log: it has SQL. */
export function clientError(error: unknown): MaestroError {
  if (error instanceof MaestroError) return error
  const { code = '', message } = error as { code?: string; message?: string }
  if (BAD_VALUE.test(code)) {
    return new MaestroError('BadRequest', `the values cannot be evaluated: ${message}`, { cause: error })
  }
  const isUnavailable = UNAVAILABLE.test(code) || UNREACHABLE.has(code)
  return new MaestroError(isUnavailable ? 'Unavailable' : 'General', undefined, { cause: error })
}
