import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { type CelType, opaqueType } from '../type.js'
import { CelEvalError, CelOpaque, intOf } from '../values/value.js'

const semverType = opaqueType('kubernetes.Semver')

class CelSemver extends CelOpaque {
  readonly type: CelType = semverType
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly prerelease: readonly (string | bigint)[]

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly (string | bigint)[]) {
    super()
    this.numbers = numbers
    this.prerelease = prerelease
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelSemver && compareVersions(this, other) === 0
  }
}

/** Kubernetes' semantic versions. */
export const semver: CelLibrary = {
  name: 'kubernetes.semver',
  types: [semverType],
  overloads: [
    overload('string_to_semver', 'semver(string) -> <kubernetes.Semver>', parseVersion),
    overload('string_bool_to_semver', 'semver(string, bool) -> <kubernetes.Semver>', (text: string, loose: boolean) =>
      parseVersion(loose ? normalize(text) : text),
    ),
    overload('is_semver_string', 'isSemver(string) -> bool', (text: string) => isVersion(text, false)),
    overload('is_semver_string_bool', 'isSemver(string, bool) -> bool', isVersion),
    overload(
      'semver_is_greater_than',
      '<kubernetes.Semver>.isGreaterThan(<kubernetes.Semver>) -> bool',
      (a, b) => compareVersions(a, b) > 0,
    ),
    overload(
      'semver_is_less_than',
      '<kubernetes.Semver>.isLessThan(<kubernetes.Semver>) -> bool',
      (a, b) => compareVersions(a, b) < 0,
    ),
    overload('semver_compare_to', '<kubernetes.Semver>.compareTo(<kubernetes.Semver>) -> int', compareVersions),
    overload('semver_major', '<kubernetes.Semver>.major() -> int', ({ numbers }: CelSemver) => intOf(numbers[0])),
    overload('semver_minor', '<kubernetes.Semver>.minor() -> int', ({ numbers }: CelSemver) => intOf(numbers[1])),
    overload('semver_patch', '<kubernetes.Semver>.patch() -> int', ({ numbers }: CelSemver) => intOf(numbers[2])),
  ],
}

function isVersion(text: string, loose: boolean): boolean {
  try {
    parseVersion(loose ? normalize(text) : text)
    return true
  } catch (error) {
    if (error instanceof CelEvalError) return false
    throw error
  }
}

/** Accepts a leading `v`, leading zeros and missing parts. */
function normalize(text: string): string {
  const [major = '', minor, ...rest] = text.replace(/^v/, '').split('.')
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length > 0 ? [rest.join('.')] : [])]
  const trimmed = parts.map((part) =>
    part.length > 1 ? part.replace(/^0+(?=\d|$)/, '').replace(/^(?!\d)/, '0') : part,
  )
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? '')) {
    throw new CelEvalError('short version cannot contain PreRelease/Build meta data')
  }
  while (trimmed.length < 3) trimmed.push('0')
  return trimmed.join('.')
}

function parseVersion(text: string): CelSemver {
  if (text === '') throw new CelEvalError('Version string empty')
  const first = text.indexOf('.')
  const second = text.indexOf('.', first + 1)
  if (first < 0 || second < 0) throw new CelEvalError('No Major.Minor.Patch elements found')
  const match = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(text.slice(second + 1))
  const [, patch = '', prerelease, build] = match ?? []
  const numbers = [
    parseNumber(text.slice(0, first), 'major', 'Major'),
    parseNumber(text.slice(first + 1, second), 'minor', 'Minor'),
    parseNumber(patch, 'patch', 'Patch'),
  ] as const
  for (const part of build?.split('.') ?? []) {
    if (part === '') throw new CelEvalError('Build meta data is empty')
    if (!/^[0-9A-Za-z-]+$/.test(part)) {
      throw new CelEvalError(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`)
    }
  }
  return new CelSemver(numbers, prerelease === undefined ? [] : prerelease.split('.').map(parsePrerelease))
}

function parseNumber(text: string, lower: string, upper: string): bigint {
  if (!/^[0-9]+$/.test(text)) {
    throw new CelEvalError(`Invalid character(s) found in ${lower} number ${JSON.stringify(text)}`)
  }
  if (text.length > 1 && text.startsWith('0')) {
    throw new CelEvalError(`${upper} number must not contain leading zeroes ${JSON.stringify(text)}`)
  }
  return unsigned(text)
}

function parsePrerelease(text: string): string | bigint {
  if (text === '') throw new CelEvalError('Prerelease is empty')
  if (/^[0-9]+$/.test(text)) {
    if (text.length > 1 && text.startsWith('0')) {
      throw new CelEvalError(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(text)}`)
    }
    return unsigned(text)
  }
  if (!/^[0-9A-Za-z-]+$/.test(text)) {
    throw new CelEvalError(`Invalid character(s) found in prerelease ${JSON.stringify(text)}`)
  }
  return text
}

function unsigned(digits: string): bigint {
  const value = digits.length > 20 ? 1n << 64n : BigInt(digits)
  if (value >= 1n << 64n) {
    throw new CelEvalError(`strconv.ParseUint: parsing ${JSON.stringify(digits)}: value out of range`)
  }
  return value
}

/** By precedence: a prerelease comes before its release, and numbers before words. */
function compareVersions(a: CelSemver, b: CelSemver): number {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return Math.sign(b.prerelease.length - a.prerelease.length)
  }
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i++) {
    const left = a.prerelease[i] as string | bigint
    const right = b.prerelease[i] as string | bigint
    if (left === right) continue
    if (typeof left !== typeof right) return typeof left === 'bigint' ? -1 : 1
    return left < right ? -1 : 1
  }
  return Math.sign(a.prerelease.length - b.prerelease.length)
}
