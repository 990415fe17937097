import { MaestroError } from '../errors.js'

/** Classes of PostgreSQL's error codes: connections, resources, operator intervention and system errors. */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58'])
/** Values that a column does not take: invalid JSON, characters that UTF-8 does not have. */
const VALUE_CLASS = '22'
const TOO_DEEP = '54001'

/** Rethrows what a database answered as what a client may see: never the text of SQL. */
export function unavailable(error: unknown): never {
  const code = String((error as { code?: unknown }).code ?? '')
  const isAnswer = /^[0-9A-Z]{5}$/.test(code) && typeof (error as { severity?: unknown }).severity === 'string'
  if (!isAnswer || UNAVAILABLE_CLASSES.has(code.slice(0, 2))) {
    throw new MaestroError('Unavailable', 'the database is not available: retry later', { cause: error })
  }
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
  return String((error as { code?: unknown }).code ?? '').startsWith(VALUE_CLASS)
}
