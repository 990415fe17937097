/**
 * A problem with one field of an object, with the messages of Kubernetes. The reasons are the `reason` values of
 * `Status.details.causes`.
 */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'

export interface FieldError {
  readonly reason: FieldErrorReason
  /**
   * The path as Kubernetes writes it: `spec.containers[0].name`, `metadata.labels[a/b]`. Empty for the object itself.
   */
  readonly field: string
  /** The message without the path: `Invalid value: "X": must be ...`. */
  readonly body: string
}

export function fieldRequired(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, body: withDetail('Required value', detail) }
}

export function fieldInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, body: withDetail(`Invalid value: ${formatValue(value)}`, detail) }
}

export function fieldTypeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field, body: withDetail(`Invalid value: ${formatValue(value)}`, detail) }
}

/** Cached texts for lists of supported values, which may be long and used many times. */
const supportedTexts = new WeakMap<readonly string[], string>()

export function fieldNotSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  let list = supportedTexts.get(supported)
  if (list === undefined) {
    list = supported.map((value) => JSON.stringify(value)).join(', ')
    supportedTexts.set(supported, list)
  }
  const detail = list === '' ? '' : `supported values: ${list}`
  return {
    reason: 'FieldValueNotSupported',
    field,
    body: withDetail(`Unsupported value: ${formatValue(value)}`, detail),
  }
}

export function fieldForbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, body: withDetail('Forbidden', detail) }
}

export function fieldDuplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, body: `Duplicate value: ${formatValue(value)}` }
}

export function fieldNotFound(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, body: `Not found: ${formatValue(value)}` }
}

export function fieldTooLong(field: string, maxBytes: number): FieldError {
  return { reason: 'FieldValueTooLong', field, body: `Too long: may not be more than ${counted(maxBytes, 'byte')}` }
}

export function fieldTooMany(field: string, actual: number, max: number): FieldError {
  return { reason: 'FieldValueTooMany', field, body: `Too many: ${actual}: must have at most ${counted(max, 'item')}` }
}

/** The one-line form: `spec.replicas: Invalid value: -1: must be ...`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${error.body}`
}

/** A longer field path is shortened: a map key can have megabytes, and many errors can be below it. */
const MAX_PATH = 4096

/** Appends a name to a field path. */
export function childPath(parent: string, name: string): string {
  return boundedPath(parent, parent === '' ? '' : '.', name)
}

/** Appends a list index to a field path. */
export function indexPath(parent: string, index: number): string {
  return boundedPath(parent, `[${index}]`)
}

/** Appends a map key to a field path. */
export function keyPath(parent: string, key: string): string {
  return boundedPath(parent, '[', key, ']')
}

function boundedPath(parent: string, before: string, name = '', after = ''): string {
  if (parent.length + name.length < MAX_PATH) return parent + before + name + after
  if (parent.length > MAX_PATH) return parent
  return `${(parent + before + name.slice(0, MAX_PATH)).slice(0, MAX_PATH)}...`
}

/** The limit of errors about one object: a body of 3 MB can have millions. */
export const MAX_FIELD_ERRORS = 2000

/** Runs checks that add errors to a list. Stops them, wherever they are, when the list is full. */
export function collectFieldErrors(check: (errors: FieldError[]) => void): FieldError[] {
  const errors = new ErrorList()
  try {
    check(errors)
  } catch (problem) {
    if (!(problem instanceof ListIsFull && problem.list === errors)) throw problem
  }
  // Nearly always: copying a subclass of arrays is slow.
  return errors.length === 0 ? [] : [...errors]
}

class ErrorList extends Array<FieldError> {
  override push(...added: FieldError[]): number {
    const length = super.push(...added)
    if (length >= MAX_FIELD_ERRORS) throw new ListIsFull(this)
    return length
  }
}

/** Ends the checks of one list, and not those of a nested list. */
class ListIsFull extends Error {
  readonly list: readonly FieldError[]

  constructor(list: readonly FieldError[]) {
    super('enough errors were found')
    this.list = list
  }
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

function withDetail(head: string, detail: string): string {
  return detail === '' ? head : `${head}: ${detail}`
}

/** The limit for a value in a message. */
const MAX_SHOWN = 4096
/** Caches the text of a list: if it has many invalid items, each error shows the whole list. */
const shown = new WeakMap<object, string>()

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  // Shortened before it is quoted: a substring keeps the whole string in memory.
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, MAX_SHOWN)))
  if (typeof value !== 'object') return cut(JSON.stringify(value))
  let text = shown.get(value)
  if (text === undefined) {
    text = cut(JSON.stringify(value))
    shown.set(value, text)
  }
  return text
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
}
