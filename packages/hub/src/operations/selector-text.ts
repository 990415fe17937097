import type { SelectorRequirement } from '@orrery/api'
import { type LabelOperator, parseLabelSelector } from '@orrery/kinds/values'
import { OperationError } from './operation-error.js'

const EXPRESSION_OPERATORS: Partial<Record<LabelOperator, SelectorRequirement['operator']>> = {
  '=': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

/** The requirements of a selector such as `region=eu,tier in (a,b)`. `subject` is what selects, for the error message. */
export function expressionsOf(selector: string, subject: string): SelectorRequirement[] {
  return parseLabelSelector(selector).requirements.map(({ key, operator, values }) => {
    const known = EXPRESSION_OPERATORS[operator]
    if (known === undefined) throw new OperationError(`${subject} cannot select by ${key} ${operator}`)
    return { key, operator: known, ...(values.length > 0 && { values: [...values] }) }
  })
}
