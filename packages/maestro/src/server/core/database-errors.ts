import { MaestroError } from '../errors.js'
import { codeOf, isAnswer, isReadOnly, isTemporary } from '../store/database-problems.js'

/** Values that a column does not take: invalid JSON, characters that UTF-8 does not have. */
const VALUE_CLASS = '22'
const TOO_DEEP = '54001'

/** Rethrows what a database answered as what a client may see: never the text of SQL. */
export function unavailable(error: unknown): never {
  if (!isAnswer(error) || isTemporary(error)) {
    const problem = isReadOnly(error) ? 'does not accept writes' : 'is not available'
    throw new MaestroError('Unavailable', `the database ${problem}: retry later`, { cause: error })
  }
  const code = codeOf(error)
  if (code.startsWith(VALUE_CLASS) || code === TOO_DEEP) {
    throw new MaestroError('Validation', `the content is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
  throw new MaestroError('General', 'the database refused the write', { cause: error })
}

/** Whether an error can have its cause in one item of a batch. */
export function isItemProblem(error: unknown): boolean {
  return !(error instanceof MaestroError && error.kind === 'Unavailable')
}

/** Whether the database refused a value, which is the problem of one read of a batch only. */
export function isValueProblem(error: unknown): boolean {
  return codeOf(error).startsWith(VALUE_CLASS)
}
