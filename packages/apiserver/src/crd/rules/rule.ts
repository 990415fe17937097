import { boolType, type CelType, compile, formatIssues, optionalType, type Program, stringType } from '@orrery/kube/cel'
import { FieldPathError, followFieldPath } from '../fieldpath.js'
import type { JsonSchema, ValidationRule } from '../types.js'

/** A rule that can be evaluated, or the reason why not. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** Undefined when the rule did not compile. */
  readonly program: Program | undefined
  readonly problem: string | undefined
  readonly usesOldSelf: boolean
  /** Undefined when there is none, or it did not compile. */
  readonly message: Program | undefined
  readonly messageProblem: string | undefined
  /** Where errors are reported, relative to the value the rule is about. */
  readonly fieldPath: string
}

/** Compiles the rules of one schema, `self` being of the type given. */
export function compileRule(rule: ValidationRule, schema: JsonSchema, self: CelType): CompiledRule {
  const oldSelf = rule.optionalOldSelf ? optionalType(self) : self
  const variables = { self, oldSelf }
  const compiled = compileAs(rule.rule, variables, boolType, 'cel expression must evaluate to a bool')
  const message = rule.messageExpression
    ? compileAs(rule.messageExpression, variables, stringType, 'messageExpression must evaluate to a string')
    : { program: undefined, problem: undefined }
  const prefixed = compiled.problem === undefined ? message.problem : undefined
  return {
    rule,
    program: compiled.program,
    problem: compiled.problem,
    usesOldSelf: compiled.program?.references('oldSelf') ?? false,
    message: compiled.program && message.program,
    messageProblem: prefixed?.startsWith('compilation failed') ? `messageExpression ${prefixed}` : prefixed,
    fieldPath: normalisedPath(rule.fieldPath, schema),
  }
}

function compileAs(
  source: string,
  variables: Record<string, CelType>,
  outputType: CelType,
  wrongType: string,
): { program: Program | undefined; problem: string | undefined } {
  const { program, issues } = compile(source, { variables })
  if (!program) return { program: undefined, problem: `compilation failed: ${formatIssues(source, issues)}` }
  if (program.outputType.kind !== outputType.kind) return { program: undefined, problem: wrongType }
  return { program, problem: undefined }
}

function normalisedPath(fieldPath: string | undefined, schema: JsonSchema): string {
  if (!fieldPath) return ''
  try {
    return followFieldPath(fieldPath, schema).path
  } catch (error) {
    if (error instanceof FieldPathError) return ''
    throw error
  }
}
