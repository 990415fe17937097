/** Classes of PostgreSQL's error codes: connections, resources, operator intervention and system errors. */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57', '58'])
/** A read-only database, as during a failover. */
const READ_ONLY = '25006'
/** Transactions that stand in each other's way: a serialization failure and a deadlock. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])
/** Errors of the operating system. Those of Node.js begin with `ERR_`. */
const SYSTEM_ERROR = /^(E[A-Z0-9]+|EAI_[A-Z]+)$/
/** Errors of the driver, which have no code. */
const DRIVER_ERROR =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end)/

/** Whether an error is an answer of the database, and not of the way to it. */
export function isAnswer(error: unknown): boolean {
  const { severity } = error as { severity?: unknown }
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) && typeof severity === 'string'
}

/** Whether the same statement can succeed later. */
export function isTemporary(error: unknown): boolean {
  const code = codeOf(error)
  if (isAnswer(error)) return UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || isReadOnly(error) || CONFLICTS.has(code)
  return SYSTEM_ERROR.test(code) || (code === '' && DRIVER_ERROR.test((error as Error).message))
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
