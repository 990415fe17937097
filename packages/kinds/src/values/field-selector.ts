import { ParseError } from './parse-error.js'

export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  /** Equal for equivalent selectors: a cache key. */
  readonly text: string
  /** `textOf` returns the text of a field, empty if unset. */
  matches(textOf: (field: string) => string): boolean
}

const everyFields: FieldSelector = { requirements: [], text: '', matches: () => true }

/** Parses `metadata.name=a,status.phase!=Running`. Throws `ParseError` with the messages of `fields.ParseSelector`. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== '')
  const requirements = terms.sort().map((term) => parseTerm(term, text))
  // A bare operator selects everything.
  const real = requirements.filter(({ field, value }) => field !== '' || value !== '')
  return real.length === 0 ? everyFields : fieldSelectorOf(real)
}

/** A selector of these requirements, all of which must be met. */
export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    text: requirements.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(','),
    matches: compileFields(requirements),
  }
}

interface FieldRule {
  readonly required: Set<string>
  readonly except: Set<string>
}

/** Returns whether fields meet all requirements. The time grows with the number of fields, not of requirements. */
function compileFields(requirements: readonly FieldRequirement[]): FieldSelector['matches'] {
  const byField = new Map<string, FieldRule>()
  for (const { field, operator, value } of requirements) {
    const rule = byField.get(field) ?? { required: new Set(), except: new Set() }
    byField.set(field, rule)
    if (operator === '=') rule.required.add(value)
    else rule.except.add(value)
  }
  const rules = [...byField]
  return (textOf) =>
    rules.every(([field, { required, except }]) => {
      const text = textOf(field)
      const isRequired = required.size === 0 || (required.size === 1 && required.has(text))
      return isRequired && !except.has(text)
    })
}

/** The value that a field must have for the selector to match, if there is one. */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find((each) => each.field === field && each.operator === '=')?.value
}

/** Escapes the characters that end a value. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const sign = term.indexOf('=')
  if (sign < 0) throw new ParseError(`invalid selector: '${selector}'; can't understand '${term}'`)
  if (term[sign - 1] === '!') {
    return { field: term.slice(0, sign - 1), operator: '!=', value: unescapeValue(term.slice(sign + 1)) }
  }
  const start = term[sign + 1] === '=' ? sign + 2 : sign + 1
  return { field: term.slice(0, sign), operator: '=', value: unescapeValue(term.slice(start)) }
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  let escaped = false
  for (const character of text) {
    const special = character === '\\' || character === ',' || character === '='
    if (escaped) {
      if (!special) throw new ParseError(`invalid field selector: invalid escape sequence: \\${character}`)
      value += character
      escaped = false
    } else if (character === '\\') {
      escaped = true
    } else if (special) {
      throw new ParseError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`)
    } else {
      value += character
    }
  }
  if (escaped) throw new ParseError('invalid field selector: invalid escape sequence: \\')
  return value
}
