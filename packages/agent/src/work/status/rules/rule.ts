import { type ConditionRule, ManifestCondition, ManifestReason, WorkCondition } from '@orrery/api'
import {
  boolType,
  CelBudget,
  CelEvaluationFailure,
  type CelValue,
  type Compilation,
  compile,
  dynType,
  toJson,
} from '@orrery/cel'
import type { Finding } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { memo } from '../memo.js'
import { ruleLibraries } from './library.js'
import { spelledOut } from './well-known.js'

const MAX_EXPRESSIONS_REMEMBERED = 1000

/** Not strict, because such expressions run on other agents. */
const language = { libraries: ruleLibraries, strict: false }

const expressions = memo(MAX_EXPRESSIONS_REMEMBERED, (source) =>
  compile(source, { variables: { object: dynType }, ...language }),
)
const messageExpressions = memo(MAX_EXPRESSIONS_REMEMBERED, (source) =>
  compile(source, { variables: { object: dynType, result: boolType }, ...language }),
)

/** Conditions that the agent itself sets: no rule can override them. */
const agentsOwn: ReadonlySet<string> = new Set([
  ManifestCondition.Applied,
  ManifestCondition.StatusFeedbackSynced,
  WorkCondition.Deleting,
])
const MAX_TYPE = 316
const conditionType =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

/** The prefix of the reasons of all conditions set by rules, and of no others. */
const RULE_REASON_PREFIX = 'ConditionRule'

/** Whether a condition was set by a rule. */
export function isByRule({ reason }: { reason: string }): boolean {
  return reason.startsWith(RULE_REASON_PREFIX)
}

/** The types of conditions that rules set on objects of a kind. */
export function typesSetBy(rules: readonly ConditionRule[], kind: { apiVersion: string; kind: string }): string[] {
  const isSet = (rule: ConditionRule) => !isKnownType(rule.type) || spelledOut(rule, kind) !== undefined
  return rules.filter((rule) => canSet(rule) && isSet(rule)).map(({ condition }) => condition)
}

/** The conditions that rules set on an object. */
export function evaluateRules(
  object: DynamicObject,
  rules: readonly ConditionRule[],
  observedGeneration: number | undefined,
  budget = new CelBudget(),
): Finding[] {
  const findings: Finding[] = []
  for (const rule of rules) {
    const verdict = canSet(rule) ? verdictOf(object, rule, budget) : undefined
    if (verdict === undefined) continue
    findings.push({ type: rule.condition, ...verdict, observedGeneration })
  }
  return findings
}

/** The conditions of rules that may not read their object. */
export function refusedRules(
  types: Iterable<string>,
  refusal: string,
  observedGeneration: number | undefined,
): Finding[] {
  const verdict = { status: 'Unknown', reason: ManifestReason.RuleInternalError, message: refusal } as const
  return Array.from(types, (type) => ({ type, ...verdict, observedGeneration }))
}

interface Verdict {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** Undefined if the rule does not apply to such objects. */
function verdictOf(object: DynamicObject, rule: ConditionRule, budget: CelBudget): Verdict | undefined {
  if (!isKnownType(rule.type)) {
    const message = `unrecognized condition rule type ${rule.type}`
    return { status: 'Unknown', reason: ManifestReason.RuleInvalid, message }
  }
  const spelled = spelledOut(rule, object)
  return spelled && judge(object, spelled, budget)
}

/** The hub may be newer than this agent. */
function isKnownType(type: string): boolean {
  return type === 'CEL' || type === 'WellKnownConditions'
}

function judge(object: DynamicObject, rule: ConditionRule, budget: CelBudget): Verdict {
  for (const source of rule.celExpressions ?? []) {
    let value: CelValue
    try {
      const compilation = expressions(source, (text) => budget.compile(text))
      if (!compilation.ok) return uncompiled(compilation)
      value = budget.evaluate(compilation.program, { object })
    } catch (error) {
      return failed(error as Error)
    }
    if (typeof value !== 'boolean') {
      const message = `expected bool result, got ${typeNameOf(value)}`
      return { status: 'False', reason: ManifestReason.RuleExpressionError, message }
    }
    if (!value) return evaluated(object, rule, false, budget)
  }
  return evaluated(object, rule, true, budget)
}

/** An invalid expression is an error in the work; one that fails for internal reasons is not. */
function uncompiled({ stage, message }: Extract<Compilation, { ok: false }>): Verdict {
  return stage === 'compilation'
    ? { status: 'False', reason: ManifestReason.RuleExpressionError, message }
    : { status: 'Unknown', reason: ManifestReason.RuleInternalError, message }
}

/** The same applies to an error at run time. */
function failed(error: Error): Verdict {
  return error instanceof CelEvaluationFailure && error.isInternal
    ? { status: 'Unknown', reason: ManifestReason.RuleInternalError, message: `internal error: ${error.message}` }
    : { status: 'False', reason: ManifestReason.RuleExpressionError, message: error.message }
}

function evaluated(object: DynamicObject, rule: ConditionRule, result: boolean, budget: CelBudget): Verdict {
  const message = messageOf(object, rule, result, budget)
  return { status: result ? 'True' : 'False', reason: ManifestReason.RuleEvaluated, message }
}

function messageOf(object: DynamicObject, rule: ConditionRule, result: boolean, budget: CelBudget): string {
  const { condition, message, messageExpression = '' } = rule
  const expressed = messageExpression === '' ? '' : express(messageExpression, { object, result }, budget)
  if (expressed !== '') return expressed
  if (message !== undefined && message !== '') return message
  return result ? `Manifest is ${condition}` : `Manifest is not ${condition}`
}

/** The string that an expression returns, or the error. */
function express(source: string, bindings: Readonly<Record<string, unknown>>, budget: CelBudget): string {
  try {
    const compilation = messageExpressions(source, (text) => budget.compile(text))
    if (!compilation.ok) return compilation.message.split('\n | ')[0] as string
    const text = budget.evaluate(compilation.program, bindings)
    if (typeof text === 'string') return text
    return `expected message expression to have a string result, got ${typeNameOf(text)}`
  } catch (error) {
    return (error as Error).message
  }
}

function canSet({ condition }: ConditionRule): boolean {
  return condition.length <= MAX_TYPE && conditionType.test(condition) && !agentsOwn.has(condition)
}

function typeNameOf(value: CelValue): string {
  const json = toJson(value)
  if (json === null) return 'null'
  if (Array.isArray(json)) return 'list'
  return typeof json === 'object' ? 'map' : typeof json
}
