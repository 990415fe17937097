import { COST_BUDGET } from '@orrery/cel'
import { type Correlation, OldItems, type SchemaNode, type ValidationRule } from '@orrery/cel/schema'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  childPath,
  collectFieldErrors,
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  getOwn,
  indexPath,
  isObject,
  keyPath,
} from '@orrery/kinds/values'
import type { CompiledRules } from './compiled-rules.js'
import { evaluate } from './outcome.js'
import type { CompiledRule } from './rule.js'

const MAX_MESSAGE_BYTES = 5 * 1024
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** Returns the errors of the rules for an object. `old` is the object that it replaces. */
export function rulesErrors(
  rules: CompiledRules,
  node: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
  correlation: Correlation | undefined,
): FieldError[] {
  return collectFieldErrors((errors) => {
    const run = new RuleRun(rules, COST_BUDGET, errors)
    run.value(node, object, old, '', { current: correlation, parent: undefined })
  })
}

/** Returns the errors of the rules for a single value, and the remaining cost budget. */
export function partErrors(
  rules: CompiledRules,
  node: SchemaNode,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  budget: number,
): { errors: FieldError[]; budget: number } {
  const run = new RuleRun(rules, budget, [])
  run.value(node, value, old, path, { current: undefined, parent: undefined })
  return { errors: run.errors, budget: run.stopped ? -1 : run.budget }
}

/** Whether a value has changed: known for itself, or for the nearest value around it. */
interface Lineage {
  readonly current: Correlation | undefined
  readonly parent: Correlation | undefined
}

class RuleRun {
  readonly #compiled: CompiledRules
  readonly errors: FieldError[]
  budget: number
  stopped = false

  constructor(compiled: CompiledRules, budget: number, errors: FieldError[]) {
    this.#compiled = compiled
    this.budget = budget
    this.errors = errors
  }

  /** Null is skipped: rules about nullable values belong to their parent. */
  value(node: SchemaNode, value: JsonValue, old: JsonValue | undefined, path: string, lineage: Lineage): void {
    if (this.stopped || value === null) return
    this.#rules(node, value, old ?? undefined, path, lineage)
    if (this.stopped) return
    if (Array.isArray(value)) this.#items(node, value, old, path, lineage)
    else if (isObject(value)) this.#fields(node, value, isObject(old) ? old : undefined, path, lineage)
  }

  #items(node: SchemaNode, items: JsonValue[], old: JsonValue | undefined, path: string, lineage: Lineage): void {
    const inside = node.items
    if (!inside?.rulesBelow) return
    const before = new OldItems(node, old)
    for (const [index, item] of items.entries()) {
      const inner = lineage.current ? { current: lineage.current.item(index), parent: lineage.current } : lineage
      this.value(inside, item, before.get(item), indexPath(path, index), inner)
    }
  }

  #fields(node: SchemaNode, object: JsonObject, old: JsonObject | undefined, path: string, lineage: Lineage): void {
    for (const key of Object.keys(object)) {
      const property = node.properties.get(key)
      const inner = property ?? node.additional
      if (!inner?.rulesBelow) continue
      const at = property ? childPath(path, key) : keyPath(path, key)
      this.value(inner, object[key] as JsonValue, old && getOwn(old, key), at, fieldLineage(lineage, key))
    }
  }

  #rules(node: SchemaNode, value: JsonValue, old: JsonValue | undefined, path: string, lineage: Lineage): void {
    const rules = this.#compiled.get(node)
    if (rules === undefined) return
    if (this.budget <= 0) {
      this.#stop(fieldInvalid(path, node.type, OUT_OF_BUDGET))
      return
    }
    for (const rule of rules) {
      if (this.stopped) return
      this.#rule(rule, node, value, old, path, lineage)
    }
  }

  #rule(
    compiled: CompiledRule,
    node: SchemaNode,
    value: JsonValue,
    old: JsonValue | undefined,
    path: string,
    lineage: Lineage,
  ): void {
    const type = node.type
    if (!compiled.program) {
      this.errors.push(fieldInvalid(path, type, `rule compile error: ${compiled.problem}`))
      return
    }
    // Transition rules need an old value, unless it is optional.
    if (compiled.usesOldSelf && old === undefined && !compiled.rule.optionalOldSelf) return
    const outcome = evaluate(compiled.program, value, old)
    if (outcome.cost > this.budget) {
      this.#stop(fieldInvalid(path, type, OUT_OF_BUDGET))
      return
    }
    this.budget -= outcome.cost
    if (outcome.error !== undefined) this.#failed(outcome.error, compiled.rule, path, type)
    else if (outcome.value !== true) this.#broken(compiled, node, value, old, path, lineage)
  }

  #failed(error: string, rule: ValidationRule, path: string, type: string): void {
    const named = ruleText(rule)
    if (error.startsWith('no such overload')) {
      const what = 'call arguments did not match a supported operator, function or macro signature for rule'
      this.errors.push(fieldInvalid(path, type, `'${error}': ${what}: ${named}`))
    } else if (error.startsWith('operation cancelled: actual cost limit exceeded')) {
      const what = 'no further validation rules will be run due to call cost exceeds limit for rule'
      this.#stop(fieldInvalid(path, type, `'${error}': ${what}: ${named}`))
    } else {
      this.errors.push(fieldInvalid(path, type, `${error} evaluating rule: ${named}`))
    }
  }

  #broken(
    compiled: CompiledRule,
    node: SchemaNode,
    value: JsonValue,
    old: JsonValue | undefined,
    path: string,
    lineage: Lineage,
  ): void {
    const at = compiled.fieldPath === '' ? path : childPath(path, compiled.fieldPath)
    const tolerated = !compiled.usesOldSelf && isUnchanged(lineage)
    const message = this.#message(compiled, value, old)
    if (message instanceof MessageFailure) {
      if (!tolerated) this.errors.push(fieldInvalid(at, node.type, message.text))
      this.stopped = true
    } else if (!tolerated) {
      this.errors.push(ruleError(compiled.rule, at, node.type, value, message))
    }
  }

  /** Returns the result of the message expression, if usable; otherwise the message of the rule. */
  #message(compiled: CompiledRule, value: JsonValue, old: JsonValue | undefined): string | MessageFailure {
    const fallback = compiled.rule.message ? compiled.rule.message.trim() : `failed rule: ${ruleText(compiled.rule)}`
    if (!compiled.message) return fallback
    const outcome = evaluate(compiled.message, value, old)
    if (outcome.cost > this.budget) {
      return new MessageFailure(
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      )
    }
    this.budget -= outcome.cost
    if (outcome.error?.startsWith('operation cancelled: actual cost limit exceeded')) {
      const source = JSON.stringify(compiled.rule.messageExpression)
      const what = 'no further validation rules will be run due to call cost exceeds limit for messageExpression'
      return new MessageFailure(`${what}: ${source}`)
    }
    const text = typeof outcome.value === 'string' ? outcome.value.trim() : ''
    const usable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES
    return usable ? text : fallback
  }

  #stop(error: FieldError): void {
    this.errors.push(error)
    this.stopped = true
  }
}

/** The message expression used up the cost budget: no further rules are run. */
class MessageFailure {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `apiVersion` and `kind` of the object are those of the request, whatever was stored. */
function fieldLineage(lineage: Lineage, key: string): Lineage {
  const { current, parent } = lineage
  if (!current) return lineage
  if (!parent && (key === 'apiVersion' || key === 'kind')) return { current: undefined, parent: undefined }
  return { current: current.field(key), parent: current }
}

function isUnchanged({ current, parent }: Lineage): boolean {
  return (current ?? parent)?.unchanged === true
}

function ruleText(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim()
}

function ruleError(rule: ValidationRule, path: string, type: string, value: JsonValue, detail: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return fieldForbidden(path, detail)
    case 'FieldValueRequired':
      return fieldRequired(path, detail)
    case 'FieldValueDuplicate':
      return isContainer(type)
        ? { reason: 'FieldValueDuplicate', field: path, body: 'Duplicate value' }
        : fieldDuplicate(path, value)
    default:
      if (!isContainer(type)) return fieldInvalid(path, value, detail)
      return { reason: 'FieldValueInvalid', field: path, body: `Invalid value: ${detail}` }
  }
}

/** Objects and lists are not repeated in errors. */
function isContainer(type: string): boolean {
  return type === 'object' || type === 'array'
}
