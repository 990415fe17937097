import { type FieldError, fieldInvalid, formatFieldError } from './field-error.js'
import { isLabelValue, isQualifiedName } from './names.js'
import { ParseError } from './parse-error.js'

export type Labels = Readonly<Record<string, string>>

/** `==` is parsed as `=`, and `in` with one value too. */
export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<'

export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Sorted, without duplicates. */
  readonly values: readonly string[]
}

/** A missing label can be found on the prototype (`constructor`), but is not a string there. */
export function satisfies({ operator, values }: LabelRequirement, value: unknown): boolean {
  const present = typeof value === 'string'
  switch (operator) {
    case '=':
      return value === values[0]
    case '!=':
      return value !== values[0]
    case 'in':
      return present && values.includes(value)
    case 'notin':
      return !present || !values.includes(value)
    case 'exists':
      return present
    case '!':
      return !present
    case '>':
    case '<': {
      const bound = parseInt64(values[0] ?? '')
      const actual = present ? parseInt64(value) : undefined
      if (actual === undefined || bound === undefined) return false
      return operator === '>' ? actual > bound : actual < bound
    }
  }
}

/** Formatted as `labels.Requirement`. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${values.join(',')})`
  return `${key}${operator}${values[0]}`
}

/** Validates and normalizes one requirement. Throws `ParseError`. */
export function requirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors = requirementErrors(key, operator, values)
  if (errors.length > 0) throw aggregate(errors)
  const distinct = [...new Set(values)].sort()
  if (distinct.length === 1 && operator === 'in') return { key, operator: '=', values: distinct }
  if (distinct.length === 1 && operator === 'notin') return { key, operator: '!=', values: distinct }
  return { key, operator, values: distinct }
}

function requirementErrors(key: string, operator: LabelOperator, values: readonly string[]): FieldError[] {
  const errors = keyErrors(key, 'key')
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    errors.push(fieldInvalid('values', values, "for 'in', 'notin' operators, values set can't be empty"))
  }
  if ((operator === 'exists' || operator === '!') && values.length > 0) {
    errors.push(fieldInvalid('values', values, 'values set must be empty for exists and does not exist'))
  }
  if ((operator === '>' || operator === '<') && parseInt64(values[0] ?? '') === undefined) {
    errors.push(fieldInvalid('values[0]', values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
  }
  values.forEach((value, index) => {
    const problems = isLabelValue(value)
    if (problems.length > 0) errors.push(fieldInvalid(`values[${index}][${key}]`, value, problems.join('; ')))
  })
  return errors
}

export function keyErrors(key: string, path: string): FieldError[] {
  const problems = isQualifiedName(key)
  return problems.length === 0 ? [] : [fieldInvalid(path, key, problems.join('; '))]
}

export function aggregate(errors: readonly FieldError[]): ParseError {
  const lines = errors.map(formatFieldError)
  return new ParseError(lines.length === 1 ? `${lines[0]}` : `[${lines.join(', ')}]`)
}

const integer = /^[+-]?[0-9]{1,19}$/

/** Returns undefined for a text that is not a 64-bit integer. */
export function parseInt64(text: string): bigint | undefined {
  if (!integer.test(text)) return undefined
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return BigInt.asIntN(64, value) === value ? value : undefined
}
