import { type FieldError, fieldForbidden, fieldInvalid, fieldRequired } from './field-error.js'
import { pairsOf } from './label-pairs.js'
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  requirement,
  satisfies,
} from './label-requirement.js'
import { compileRequirements } from './label-rules.js'
import { LabelSelectorParser } from './label-selector-parser.js'
import { isLabelValue, isQualifiedName } from './names.js'
import { ParseError } from './parse-error.js'

/** A compiled selector. */
export interface LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[]
  /** Equal for selectors that differ only in order or spacing: a cache key. */
  readonly text: string
  matches(labels: Labels | undefined): boolean
}

/** `metav1.LabelSelector`, as in objects. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly LabelSelectorExpression[]
}

export interface LabelSelectorExpression {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

const specOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

export const everyLabels: LabelSelector = { requirements: [], text: '', matches: () => true }

/** The selector for an absent `metav1.LabelSelector`. Its text is not a valid selector. */
export const noLabels: LabelSelector = { requirements: [], text: '<nothing>', matches: () => false }

/** Parses `app=web,tier in (a,b),!canary`. Throws `ParseError` with the messages of `labels.Parse`. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new LabelSelectorParser(text).parse()
  return requirements.length === 0 ? everyLabels : selectorOf(requirements)
}

/** Compiles a `metav1.LabelSelector`: absent selects nothing, empty everything. Throws `ParseError`. */
export function labelSelectorFrom(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  if (spec === undefined || spec === null) return noLabels
  const requirements = Object.entries(spec.matchLabels ?? {}).map(([key, value]) => requirement(key, '=', [value]))
  for (const { key, operator, values } of spec.matchExpressions ?? []) {
    const known = specOperators.get(operator)
    if (known === undefined) {
      throw new ParseError(`${JSON.stringify(operator)} is not a valid label selector operator`)
    }
    requirements.push(requirement(key, known, values ?? []))
  }
  return requirements.length === 0 ? everyLabels : selectorOf(requirements)
}

/**
 * Whether a `metav1.LabelSelector` of a validated object selects labels. Evaluates it directly: compiling one with
 * many values for a single use takes a thousand times as long.
 */
export function selectsLabels(spec: LabelSelectorSpec | null | undefined, labels: Labels | undefined): boolean {
  if (spec === undefined || spec === null) return false
  if (spec.matchLabels && !pairsOf(spec.matchLabels).every(([key, value]) => labels?.[key] === value)) {
    return false
  }
  return (spec.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const known = specOperators.get(operator)
    return known !== undefined && satisfies({ key, operator: known, values }, labels?.[key])
  })
}

/** Selects objects with all these labels, such as a Service's `spec.selector`. */
export function labelSelectorOf(labels: Labels): LabelSelector {
  const requirements = Object.entries(labels).map(
    ([key, value]): LabelRequirement => ({ key, operator: '=', values: [value] }),
  )
  return requirements.length === 0 ? everyLabels : selectorOf(requirements)
}

/** All errors of a `metav1.LabelSelector` in an object. */
export function validateLabelSelector(spec: LabelSelectorSpec | null | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(spec?.matchLabels ?? {})) {
    for (const problem of isQualifiedName(key)) errors.push(fieldInvalid(`${path}.matchLabels`, key, problem))
    for (const problem of isLabelValue(value)) errors.push(fieldInvalid(`${path}.matchLabels`, value, problem))
  }
  spec?.matchExpressions?.forEach((expression, index) => {
    for (const error of validateExpression(expression, `${path}.matchExpressions[${index}]`)) errors.push(error)
  })
  return errors
}

function validateExpression({ key, operator, values = [] }: LabelSelectorExpression, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(fieldRequired(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      errors.push(fieldForbidden(`${path}.values`, why))
    }
  } else {
    errors.push(fieldInvalid(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  for (const problem of isQualifiedName(key)) errors.push(fieldInvalid(`${path}.key`, key, problem))
  values.forEach((value, index) => {
    for (const problem of isLabelValue(value)) errors.push(fieldInvalid(`${path}.values[${index}]`, value, problem))
  })
  return errors
}

function selectorOf(requirements: LabelRequirement[]): LabelSelector {
  const sorted = requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return {
    requirements: sorted,
    text: sorted.map(formatRequirement).join(','),
    matches: compileRequirements(sorted),
  }
}
