import {
  badRequest,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  invalid,
} from '@orrery/kinds/values'
import { Query } from './query.js'

export interface ListOptions {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly limit: number
  readonly continue: string
  readonly timeoutSeconds: number | undefined
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

export interface WriteOptions {
  readonly dryRun: boolean
  /** Empty if the client set none: then the user agent determines it. */
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  /** Whether the client set it. */
  readonly validationAsked: boolean
  readonly force: boolean | undefined
}

/** Parses and validates list and watch parameters, with the rules of meta/internalversion. */
export function parseListOptions(query: Query, watch: boolean): ListOptions {
  const options: ListOptions = {
    labelSelector: query.get('labelSelector'),
    fieldSelector: query.get('fieldSelector'),
    resourceVersion: query.get('resourceVersion'),
    resourceVersionMatch: query.get('resourceVersionMatch'),
    limit: query.integer('limit') ?? 0,
    continue: query.get('continue'),
    timeoutSeconds: query.integer('timeoutSeconds'),
    allowWatchBookmarks: query.flag('allowWatchBookmarks'),
    sendInitialEvents: query.has('sendInitialEvents') ? query.flag('sendInitialEvents') : undefined,
  }
  const errors = watch ? watchOptionErrors(options) : listOptionErrors(options)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  return options
}

function listOptionErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = []
  const match = options.resourceVersionMatch
  const deny = (why: string) => errors.push(fieldForbidden('resourceVersionMatch', why))
  if (match !== '') {
    if (options.resourceVersion === '') deny('resourceVersionMatch is forbidden unless resourceVersion is provided')
    if (options.continue !== '') deny('resourceVersionMatch is forbidden when continue is provided')
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(fieldNotSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      deny('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchOptionErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = []
  const match = options.resourceVersionMatch
  const deny = (why: string) => errors.push(fieldForbidden('resourceVersionMatch', why))
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    deny('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      deny('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
    }
    if (match !== 'NotOlderThan') errors.push(fieldNotSupported('resourceVersionMatch', match, ['NotOlderThan']))
    if (options.continue !== '') deny('resourceVersionMatch is forbidden when continue is provided')
  }
  return errors
}

/** Parses a resourceVersion; returns undefined if absent. Throws a 400 if it is not a number. */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined
  if (!/^\d{1,16}$/.test(text))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  return Number(text)
}

const FIELD_VALIDATIONS = ['Ignore', 'Strict', 'Warn']
const MAX_FIELD_MANAGER = 128

const DEFAULT_WRITE_OPTIONS: WriteOptions = {
  dryRun: false,
  fieldManager: '',
  force: undefined,
  fieldValidation: 'Warn',
  validationAsked: false,
}

/** Parses and validates the parameters of create, update and patch. `options` is the kind in error messages. */
export function parseWriteOptions(
  query: Query,
  options: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  isApply = false,
): WriteOptions {
  if (query === Query.empty && !isApply) return DEFAULT_WRITE_OPTIONS
  const fieldManager = query.get('fieldManager')
  const fieldValidation = query.get('fieldValidation')
  const force = query.has('force') ? query.flag('force') : undefined
  const errors: FieldError[] = []
  if (options === 'PatchOptions') {
    if (isApply && fieldManager === '') {
      errors.push({
        reason: 'FieldValueRequired',
        field: 'fieldManager',
        body: 'Required value: is required for apply patch',
      })
    }
    if (!isApply && force !== undefined)
      errors.push(fieldForbidden('force', 'may not be specified for non-apply patch'))
  }
  if (fieldManager.length > MAX_FIELD_MANAGER) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      body: `Too long: may not be more than ${MAX_FIELD_MANAGER} bytes`,
    })
  }
  for (const char of fieldManager) {
    if (!isPrintable(char)) {
      errors.push(fieldInvalid('fieldManager', fieldManager, 'should only contain printable characters'))
      break
    }
  }
  const dryRun = checkDryRun(query.all('dryRun'), errors)
  if (fieldValidation !== '' && !FIELD_VALIDATIONS.includes(fieldValidation)) {
    errors.push(fieldNotSupported('fieldValidation', fieldValidation, ['', ...FIELD_VALIDATIONS]))
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: options }, '', errors)
  return {
    dryRun,
    fieldManager,
    force,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    validationAsked: fieldValidation !== '',
  }
}

/** `dryRun=All` is the only value. Returns whether it is set. */
export function checkDryRun(values: readonly string[], errors: FieldError[]): boolean {
  const given = values.filter((value) => value !== '')
  if (given.length > 0 && given.some((value) => value !== 'All')) {
    errors.push(fieldNotSupported('dryRun', given, ['All']))
  }
  return given.length > 0
}

function isPrintable(char: string): boolean {
  return char === ' ' || !/[\p{C}\p{Z}]/u.test(char)
}
