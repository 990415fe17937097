import { maxCardinality, type Program } from '@orrery/cel'
import type { JsonSchema, ValidationRule } from '@orrery/cel/schema'
import {
  childPath,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
} from '@orrery/kinds/values'
import { FieldPathError, followFieldPath } from '../field-path.js'
import { type CompiledRule, compileRule, selfType } from '../rules/rule.js'

const RULE_COST_LIMIT = 10_000_000
const TOTAL_COST_LIMIT = 100_000_000
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const LINE_BREAK = /[\n\r]/
const MOST_EXPENSIVE = 4

/** Returns the errors in the texts of rules, without compiling them. */
export function ruleTextErrors(schema: JsonSchema, rules: readonly ValidationRule[], path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [index, rule] of rules.entries()) checkTexts(schema, rule, indexPath(path, index), errors)
  return errors
}

function checkTexts(schema: JsonSchema, rule: ValidationRule, path: string, errors: FieldError[]): void {
  const text = (rule.rule ?? '').trim()
  const message = (rule.message ?? '').trim()
  const messagePath = childPath(path, 'message')
  if (text === '') errors.push(fieldRequired(childPath(path, 'rule'), 'rule is not specified'))
  else if (rule.message && message === '') {
    errors.push(fieldInvalid(messagePath, rule.message, 'must be non-empty if specified'))
  } else if (LINE_BREAK.test(message)) {
    errors.push(fieldInvalid(messagePath, rule.message, 'must not contain line breaks'))
  } else if (LINE_BREAK.test(text) && message === '') {
    errors.push(fieldRequired(messagePath, 'message must be specified if rule contains line breaks'))
  }
  if (rule.messageExpression && rule.messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified'
    errors.push(fieldRequired(childPath(path, 'messageExpression'), detail))
  }
  if (rule.reason !== undefined && !REASONS.includes(rule.reason)) {
    errors.push(fieldNotSupported(childPath(path, 'reason'), rule.reason, REASONS))
  }
  if (rule.fieldPath) checkFieldPath(schema, rule.fieldPath, childPath(path, 'fieldPath'), errors)
}

function checkFieldPath(schema: JsonSchema, fieldPath: string, path: string, errors: FieldError[]): void {
  if (fieldPath.trim() === '') errors.push(fieldInvalid(path, fieldPath, 'must be non-empty if specified'))
  if (LINE_BREAK.test(fieldPath)) errors.push(fieldInvalid(path, fieldPath, 'must not contain line breaks'))
  try {
    followFieldPath(fieldPath, schema)
  } catch (error) {
    if (!(error instanceof FieldPathError)) throw error
    errors.push(fieldInvalid(path, fieldPath, 'must be a valid path'))
  }
}

interface RuleCost {
  readonly path: string
  readonly cost: number
}

/** The place of a schema for its rules: how many values of it an object can have, and the total cost of all rules. */
export class RuleScope {
  /** The maximum number of values, if all lists and maps around are bounded. */
  readonly #cardinality: number | undefined
  readonly #isResource: boolean
  readonly #costs: RuleCost[]

  private constructor(cardinality: number | undefined, isResource: boolean, costs: RuleCost[]) {
    this.#cardinality = cardinality
    this.#isResource = isResource
    this.#costs = costs
  }

  static root(): RuleScope {
    return new RuleScope(1, true, [])
  }

  /** Returns the scope of a property, the items or the additional properties of a schema. */
  inside(parent: JsonSchema, inner: JsonSchema): RuleScope {
    const factor = multiplicity(parent)
    const cardinality = this.#cardinality === undefined || factor === undefined ? undefined : this.#cardinality * factor
    return new RuleScope(cardinality, inner['x-kubernetes-embedded-resource'] === true, this.#costs)
  }

  get isResource(): boolean {
    return this.#isResource
  }

  /** Returns the cost of a program times the maximum number of its evaluations for one object. */
  observe(path: string, program: Program, occurrences: number): number {
    const cost = program.estimatedCost * (this.#cardinality ?? occurrences)
    this.#costs.push({ path, cost })
    return cost
  }

  /** Returns the errors for the total cost of all rules of the schema, and for the rules that contribute most. */
  totalCostErrors(path: string): FieldError[] {
    const total = this.#costs.reduce((sum, { cost }) => sum + cost, 0)
    if (total <= TOTAL_COST_LIMIT) return []
    const worst = this.#costs
      .filter(({ cost }) => cost >= TOTAL_COST_LIMIT / 100)
      .sort((a, b) => b.cost - a.cost)
      .slice(0, MOST_EXPENSIVE)
    const blame = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    const errors = worst.map((rule) => fieldForbidden(rule.path, blame))
    return [...errors, fieldForbidden(path, costMessage(what, total, TOTAL_COST_LIMIT))]
  }
}

/** Returns the maximum number of child values of a schema; undefined if there is no limit. */
function multiplicity(schema: JsonSchema): number | undefined {
  if (schema.type === 'array') return schema.maxItems === undefined ? undefined : Math.max(schema.maxItems, 0)
  if (schema.type !== 'object' || schema.additionalProperties === undefined) return 1
  return schema.maxProperties === undefined ? undefined : Math.max(schema.maxProperties, 0)
}

/** Returns the errors of the rules of an otherwise valid schema. */
export function ruleErrors(
  schema: JsonSchema,
  path: string,
  scope: RuleScope,
  uncorrelatable: string | undefined,
  ignoreCost: boolean,
): FieldError[] {
  const self = selfType(schema, scope.isResource)
  const rulesPath = childPath(path, 'x-kubernetes-validations')
  if (!self) {
    const body =
      'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
    return [{ reason: 'InternalError', field: rulesPath, body }]
  }
  const errors: FieldError[] = []
  const occurrences = maxCardinality(self)
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = indexPath(rulesPath, index)
    const compiled = compileRule(rule, schema, self)
    checkCompiled(compiled, at, scope, occurrences, ignoreCost, errors)
    checkTransition(compiled, at, uncorrelatable, errors)
  }
  return errors
}

function checkCompiled(
  compiled: CompiledRule,
  path: string,
  scope: RuleScope,
  occurrences: number,
  ignoreCost: boolean,
  errors: FieldError[],
): void {
  const rulePath = childPath(path, 'rule')
  if (compiled.program) {
    const cost = scope.observe(rulePath, compiled.program, occurrences)
    if (!ignoreCost && cost > RULE_COST_LIMIT) {
      errors.push(fieldForbidden(rulePath, costMessage('estimated rule cost', cost, RULE_COST_LIMIT)))
    }
  } else {
    errors.push(ruleInvalid(rulePath, compiled.rule, compiled.problem ?? ''))
  }
  const messagePath = childPath(path, 'messageExpression')
  if (compiled.messageProblem !== undefined) {
    errors.push(ruleInvalid(messagePath, compiled.rule, compiled.messageProblem))
  } else if (compiled.message) {
    const cost = compiled.message.estimatedCost
    scope.observe(messagePath, compiled.message, 1)
    if (!ignoreCost && cost > RULE_COST_LIMIT) {
      errors.push(fieldForbidden(messagePath, costMessage('estimated messageExpression cost', cost, RULE_COST_LIMIT)))
    }
  }
}

/** Formats a rule in errors like the JSON of kube-apiserver's type. */
function ruleInvalid(path: string, rule: ValidationRule, detail: string): FieldError {
  const shown = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
  return { reason: 'FieldValueInvalid', field: path, body: `Invalid value: ${shown}: ${detail}` }
}

function checkTransition(
  { rule, usesOldSelf }: CompiledRule,
  path: string,
  uncorrelatable: string | undefined,
  errors: FieldError[],
): void {
  if (usesOldSelf && uncorrelatable !== undefined) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`
    errors.push(fieldInvalid(childPath(path, 'rule'), rule.rule, detail))
  } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const detail = 'may not be set if oldSelf is not used in rule'
    errors.push(fieldInvalid(childPath(path, 'optionalOldSelf'), rule.optionalOldSelf, detail))
  }
}

function costMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'
  return `${what} exceeds budget by factor of ${shown} (${advice})`
}
