import {
  boolType,
  type JsonSchema as CelSchema,
  type CelType,
  celTypeOf,
  compile,
  optionalType,
  type Program,
  stringType,
} from '@orrery/cel'
import type { JsonSchema, ValidationRule } from '@orrery/cel/schema'
import { FieldPathError, followFieldPath } from '../field-path.js'

/** A compiled rule, or the compile error. */
export interface CompiledRule {
  readonly rule: ValidationRule
  /** Undefined if the rule did not compile. */
  readonly program: Program | undefined
  readonly problem: string | undefined
  readonly usesOldSelf: boolean
  /** Undefined if there is none, or it did not compile. */
  readonly message: Program | undefined
  readonly messageProblem: string | undefined
  /** The path of errors, relative to the value of the rule. */
  readonly fieldPath: string
}

/** Returns the CEL type of a structural schema; undefined if CEL does not support it. */
export function selfType(schema: JsonSchema, isResource: boolean): CelType | undefined {
  return celTypeOf(schema as CelSchema, isResource)
}

/** Compiles a rule of a schema with the given type of `self`. */
export function compileRule(rule: ValidationRule, schema: JsonSchema, self: CelType): CompiledRule {
  const variables = { self, oldSelf: rule.optionalOldSelf ? optionalType(self) : self }
  const { program, problem } = compileBoolean(rule.rule, variables)
  const message = program && rule.messageExpression ? compileMessage(rule.messageExpression, variables) : undefined
  return {
    rule,
    program,
    problem,
    usesOldSelf: program?.uses.has('oldSelf') ?? false,
    message: message?.program,
    messageProblem: message?.problem,
    fieldPath: normalisedPath(rule.fieldPath, schema),
  }
}

interface Outcome {
  readonly program: Program | undefined
  readonly problem: string | undefined
}

function compileBoolean(source: string, variables: Record<string, CelType>): Outcome {
  const compiled = compile(source, { variables })
  if (!compiled.ok) {
    const what = compiled.stage === 'compilation' ? 'compilation failed' : 'program instantiation failed'
    return { program: undefined, problem: `${what}: ${compiled.message}` }
  }
  if (compiled.program.outputType.kind === boolType.kind) return { program: compiled.program, problem: undefined }
  return { program: undefined, problem: 'cel expression must evaluate to a bool' }
}

function compileMessage(source: string, variables: Record<string, CelType>): Outcome {
  const compiled = compile(source, { variables })
  if (!compiled.ok)
    return { program: undefined, problem: `messageExpression ${compiled.stage} failed: ${compiled.message}` }
  if (compiled.program.outputType.kind === stringType.kind) return { program: compiled.program, problem: undefined }
  return { program: undefined, problem: 'messageExpression must evaluate to a string' }
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
