import { utf8Length } from './bytes.js'

/**
 * The name formats of the Kubernetes API. Each check returns Kubernetes' messages for the value, or nothing. The
 * patterns are unambiguous, so they run in linear time.
 */

const DNS1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const DNS1123_SUBDOMAIN = `${DNS1123_LABEL}(\\.${DNS1123_LABEL})*`
const DNS1123_LABEL_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const DNS1123_SUBDOMAIN_UNDERSCORE = `${DNS1123_LABEL_UNDERSCORE}(\\.${DNS1123_LABEL_UNDERSCORE})*`
const WILDCARD_SUBDOMAIN = `\\*\\.${DNS1123_SUBDOMAIN}`
const DNS1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?'
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${LABEL_KEY})?`
const ENV_VAR = '[-._a-zA-Z][-._a-zA-Z0-9]*'
const CONFIG_MAP_KEY = '[-._a-zA-Z0-9]+'
const PERCENT = '[0-9]+%'
const HTTP_HEADER = '[-A-Za-z0-9]+'

const dns1123Label = whole(DNS1123_LABEL)
const dns1123Subdomain = whole(DNS1123_SUBDOMAIN)
const dns1123SubdomainUnderscore = whole(DNS1123_SUBDOMAIN_UNDERSCORE)
const wildcardSubdomain = whole(WILDCARD_SUBDOMAIN)
const dns1035Label = whole(DNS1035_LABEL)
const labelKey = whole(LABEL_KEY)
const labelValue = whole(LABEL_VALUE)
const envVar = whole(ENV_VAR)
const configMapKey = whole(CONFIG_MAP_KEY)
const percent = whole(PERCENT)
const httpHeader = whole(HTTP_HEADER)
const portNameCharacters = /^[-a-z0-9]+$/
const printableWithoutEquals = /^[ -<>-~]*$/

const LABEL_MAX = 63
const SUBDOMAIN_MAX = 253
const PORT_NAME_MAX = 15

const LABEL_CHARACTERS =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"

const labelPatternProblem = patternProblem(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  DNS1123_LABEL,
  'my-name',
  '123-abc',
)
const subdomainPatternProblem = patternProblem(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS1123_SUBDOMAIN,
  'example.com',
)
const labelKeyPatternProblem = patternProblem(LABEL_CHARACTERS, LABEL_KEY, 'MyName', 'my.name', '123-abc')

const none: readonly string[] = []

/** A lowercase RFC 1123 label: namespace names and most short names. */
export function isDNS1123Label(value: string): readonly string[] {
  if (value.length <= LABEL_MAX && dns1123Label.test(value)) return none
  const problems = tooLongInCharacters(value, LABEL_MAX)
  if (dns1123Label.test(value)) return problems
  problems.push(dns1123Subdomain.test(value) ? 'must not contain dots' : labelPatternProblem)
  return problems
}

/** A lowercase RFC 1123 subdomain: the names of most objects. */
export function isDNS1123Subdomain(value: string): readonly string[] {
  if (value.length <= SUBDOMAIN_MAX && dns1123Subdomain.test(value)) return none
  const problems = tooLongInCharacters(value, SUBDOMAIN_MAX)
  if (!dns1123Subdomain.test(value)) problems.push(subdomainPatternProblem)
  return problems
}

/** A subdomain whose labels may contain underscores, as in DNS search paths. */
export function isDNS1123SubdomainWithUnderscore(value: string): readonly string[] {
  const problems = tooLongInCharacters(value, SUBDOMAIN_MAX)
  if (!dns1123SubdomainUnderscore.test(value)) {
    const message =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character"
    problems.push(patternProblem(message, DNS1123_SUBDOMAIN_UNDERSCORE, 'example.com'))
  }
  return problems
}

/** A subdomain after `*.`, as in wildcard hosts of an Ingress. */
export function isWildcardDNS1123Subdomain(value: string): readonly string[] {
  const problems = tooLongInCharacters(value, SUBDOMAIN_MAX)
  if (!wildcardSubdomain.test(value)) {
    const message =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
    problems.push(patternProblem(message, WILDCARD_SUBDOMAIN, '*.example.com'))
  }
  return problems
}

/** An RFC 1035 label: Service names, CRD plural names. */
export function isDNS1035Label(value: string): readonly string[] {
  const problems = tooLongInCharacters(value, LABEL_MAX)
  if (!dns1035Label.test(value)) {
    const message =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
    problems.push(patternProblem(message, DNS1035_LABEL, 'my-name', 'abc-123'))
  }
  return problems
}

/** A key of labels and annotations: an optional `subdomain/` and a name of at most 63 characters. */
export function isQualifiedName(value: string): readonly string[] {
  const slash = value.indexOf('/')
  const name = value.slice(slash + 1)
  if (slash < 0 && name.length <= LABEL_MAX && labelKey.test(name)) return none
  if (name.includes('/')) {
    const example = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    return [`a valid label key ${labelKeyPatternProblem}${example}`]
  }
  const problems: string[] = []
  if (slash >= 0) problems.push(...prefixProblems(value.slice(0, slash)))
  if (name === '') problems.push('name part must be non-empty')
  else if (longer(name, LABEL_MAX)) problems.push(`name part ${maxBytes(LABEL_MAX)}`)
  if (!labelKey.test(name)) problems.push(`name part ${labelKeyPatternProblem}`)
  return problems
}

/** The value of a label: empty, or like the name of a label key. */
export function isLabelValue(value: string): readonly string[] {
  if (value.length <= LABEL_MAX && labelValue.test(value)) return none
  const problems = longer(value, LABEL_MAX) ? [maxBytes(LABEL_MAX)] : []
  if (!labelValue.test(value)) {
    const message = `a valid label must be an empty string or ${LABEL_CHARACTERS.slice('must '.length)}`
    problems.push(patternProblem(message, LABEL_VALUE, 'MyValue', 'my_value', '12345'))
  }
  return problems
}

/** A key of a ConfigMap or Secret. */
export function isConfigMapKey(value: string): readonly string[] {
  const problems = tooLongInCharacters(value, SUBDOMAIN_MAX)
  if (!configMapKey.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    problems.push(patternProblem(message, CONFIG_MAP_KEY, 'key.name', 'KEY_NAME', 'key-name'))
  }
  problems.push(...parentDirectoryProblems(value))
  return problems
}

/** The classic form of environment variable names. */
export function isEnvVarName(value: string): readonly string[] {
  const problems: string[] = []
  if (!envVar.test(value)) {
    const message =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit"
    problems.push(patternProblem(message, ENV_VAR, 'my.env-name', 'MY_ENV.NAME', 'MyEnvName1'))
  }
  problems.push(...parentDirectoryProblems(value))
  return problems
}

/** Environment variable names since Kubernetes 1.34: any printable ASCII but `=`. */
export function isRelaxedEnvVarName(value: string): readonly string[] {
  if (value === '') return ['environment variable name must be non-empty']
  if (printableWithoutEquals.test(value)) return none
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

/** The name of a container or service port (IANA service name). */
export function isPortName(value: string): readonly string[] {
  const problems = tooLongInCharacters(value, PORT_NAME_MAX)
  if (!portNameCharacters.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)')
  if (value.includes('--')) problems.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) problems.push('must not begin or end with a hyphen')
  return problems
}

export function isPortNumber(value: number): readonly string[] {
  return isInRange(value, 1, 65535)
}

function isInRange(value: number, min: number, max: number): readonly string[] {
  if (value >= min && value <= max) return none
  return [`must be between ${min} and ${max}, inclusive`]
}

export function isPercent(value: string): readonly string[] {
  if (percent.test(value)) return none
  const message = "a valid percent string must be a numeric string followed by an ending '%'"
  return [patternProblem(message, PERCENT, '1%', '93%')]
}

export function isHTTPHeaderName(value: string): readonly string[] {
  if (httpHeader.test(value)) return none
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'"
  return [patternProblem(message, HTTP_HEADER, 'X-Header-Name')]
}

/** A name that can be one segment of a URL path: the minimum for any object name. */
export function isPathSegmentName(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return isPathSegmentPrefix(value)
}

/** The start of a path segment, as in `generateName`. */
export function isPathSegmentPrefix(value: string): readonly string[] {
  const problems: string[] = []
  if (value.includes('/')) problems.push("may not contain '/'")
  if (value.includes('%')) problems.push("may not contain '%'")
  return problems
}

/** A name in `generateName`: a trailing dash stands for the suffix that the server appends. */
export function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const problems: string[] = []
  if (longer(prefix, SUBDOMAIN_MAX)) problems.push(`prefix part ${maxBytes(SUBDOMAIN_MAX)}`)
  if (!dns1123Subdomain.test(prefix)) problems.push(`prefix part ${subdomainPatternProblem}`)
  return problems
}

function parentDirectoryProblems(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`]
  return value.startsWith('..') ? ["must not start with '..'"] : []
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

function patternProblem(message: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`
}

function tooLongInCharacters(value: string, max: number): string[] {
  return longer(value, max) ? [`must be no more than ${max} characters`] : []
}

function maxBytes(max: number): string {
  return `must be no more than ${max} bytes`
}

/** Lengths are counted in bytes of UTF-8; most values are too short for that to matter. */
function longer(value: string, max: number): boolean {
  return value.length > max || (value.length * 3 > max && utf8Length(value) > max)
}
