import { MaestroError } from '../errors.js'
import { codeOf, isTemporary } from '../store/database-problems.js'
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

/** Values that PostgreSQL cannot compute with, such as a division by zero in a search. */
const BAD_VALUE = /^22/

/** The error that a client gets. The text of the database is for the log: it has SQL. */
export function clientError(error: unknown): MaestroError {
  if (error instanceof MaestroError) return error
  if (BAD_VALUE.test(codeOf(error))) {
    const { message } = error as Error
    return new MaestroError('BadRequest', `the values cannot be evaluated: ${message}`, { cause: error })
  }
  return new MaestroError(isTemporary(error) ? 'Unavailable' : 'General', undefined, { cause: error })
}
