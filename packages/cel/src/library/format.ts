import {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLabelValue,
  isQualifiedName,
  ParseError,
  parseTime,
  withoutTrailingDash,
} from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { type Overload, overload } from '../overload.js'
import { type CelType, opaqueType } from '../type.js'
import { ArrayList } from '../values/list.js'
import { CelOpaque, CelOptional, none } from '../values/value.js'
import { parseRequestUri, UrlError } from './url.js'

const formatType = opaqueType('kubernetes.NamedFormat')

type Validate = (text: string) => readonly string[]

export class CelFormat extends CelOpaque {
  readonly type: CelType = formatType
  readonly name: string
  readonly validate: Validate
  /** The length of the equivalent pattern, which determines its cost. */
  readonly patternSize: number

  constructor(name: string, validate: Validate, patternSize: number) {
    super()
    this.name = name
    this.validate = validate
    this.patternSize = patternSize
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelFormat && this.name === other.name
  }
}

const URL_PATTERN_SIZE = 1103
const BASE64_PATTERN_SIZE = 84
const UUID_PATTERN_SIZE = 70
const DATE_TIME_PATTERN_SIZE = 71

const formats: ReadonlyMap<string, CelFormat> = new Map([
  ['dns1123Label', new CelFormat('DNS1123Label', isDNS1123Label, 30)],
  ['dns1123Subdomain', new CelFormat('DNS1123Subdomain', isDNS1123Subdomain, 60)],
  ['dns1035Label', new CelFormat('DNS1035Label', isDNS1035Label, 30)],
  ['qualifiedName', new CelFormat('QualifiedName', isQualifiedName, 60)],
  ['dns1123LabelPrefix', new CelFormat('DNS1123LabelPrefix', asPrefix(isDNS1123Label), 30)],
  ['dns1123SubdomainPrefix', new CelFormat('DNS1123SubdomainPrefix', asPrefix(isDNS1123Subdomain), 60)],
  ['dns1035LabelPrefix', new CelFormat('DNS1035LabelPrefix', asPrefix(isDNS1035Label), 30)],
  ['labelValue', new CelFormat('LabelValue', isLabelValue, 40)],
  ['uri', new CelFormat('URI', uriProblems, URL_PATTERN_SIZE)],
  ['uuid', new CelFormat('uuid', byTest(isUuid, 'does not match the UUID format'), UUID_PATTERN_SIZE)],
  ['byte', new CelFormat('byte', byTest(isBase64, 'invalid base64'), BASE64_PATTERN_SIZE)],
  ['date', new CelFormat('date', byTest(isDate, 'invalid date'), DATE_TIME_PATTERN_SIZE)],
  ['datetime', new CelFormat('datetime', byTest(isDateTime, 'invalid datetime'), DATE_TIME_PATTERN_SIZE)],
])

/** Kubernetes' named formats. */
export const format: CelLibrary = {
  name: 'kubernetes.format',
  types: [formatType],
  overloads: [
    ...[...formats].map(
      ([name, value]): Overload =>
        overload(`format.${name}`, `format.${name}() -> <kubernetes.NamedFormat>`, () => value),
    ),
    overload('format-named', 'format.named(string) -> optional(<kubernetes.NamedFormat>)', (name: string) => {
      const found = formats.get(name)
      return found === undefined ? none : new CelOptional(found)
    }),
    overload(
      'format-validate',
      '<kubernetes.NamedFormat>.validate(string) -> optional(list(string))',
      ({ validate }: CelFormat, text: string) => {
        const problems = validate(text)
        return problems.length === 0 ? none : new CelOptional(new ArrayList([...problems]))
      },
    ),
  ],
}

function asPrefix(validate: Validate): Validate {
  return (text) => validate(withoutTrailingDash(text))
}

function byTest(test: (text: string) => boolean, problem: string): Validate {
  return (text) => (test(text) ? [] : [problem])
}

function uriProblems(text: string): readonly string[] {
  try {
    parseRequestUri(text)
    return []
  } catch (error) {
    if (error instanceof UrlError) return [error.message]
    throw error
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)
}

function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/.test(
    text,
  )
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isDateTime(`${text}T00:00:00Z`)
}

function isDateTime(text: string): boolean {
  try {
    parseTime(text)
    return true
  } catch (error) {
    if (error instanceof ParseError) return false
    throw error
  }
}
