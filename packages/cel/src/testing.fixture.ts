import { CelEvaluationFailure, compile } from './compile.js'
import type { CelLibrary } from './environment.js'
import { toJson } from './json.js'
import { type CelType, dynType } from './type.js'
import { CelUint } from './values/value.js'

/** The data of the expression tests, without a declared type. */
const data = {
  a: 1,
  d: 1.5,
  s: 'str',
  list: [1, 2],
  names: ['a', 'bb', 'ccc'],
  map: { k: 'v' },
  items: [
    { name: 'p', v: 1 },
    { name: 'q', v: 2 },
  ],
  nothing: null,
}

interface Setting {
  readonly variables?: Readonly<Record<string, CelType>>
  readonly bindings?: Readonly<Record<string, unknown>>
  readonly libraries?: readonly CelLibrary[]
  readonly costLimit?: number
  readonly strict?: boolean
}

/** The value of an expression over `x`, as JSON; `error: …` if it fails, and its issues if it does not compile. */
export function outcome(source: string, setting: Setting = {}): unknown {
  const {
    variables = { x: dynType },
    bindings = { x: data },
    libraries,
    costLimit = 1_000_000,
    strict = true,
  } = setting
  const compiled = compile(source, { variables, strict, ...(libraries && { libraries }) })
  if (!compiled.ok) return compiled.issues.map(({ message }) => message).join('; ')
  try {
    const { value } = compiled.program.evaluate(bindings, { costLimit })
    return value instanceof CelUint ? `${value.value}u` : toJson(value)
  } catch (error) {
    if (error instanceof CelEvaluationFailure) return `error: ${error.message}`
    throw error
  }
}

/** The cost of an evaluation, and its estimate. */
export function costs(source: string, setting: Setting = {}): { actual: number; estimated: number } {
  const { variables = { x: dynType }, bindings = { x: data } } = setting
  const compiled = compile(source, { variables })
  if (!compiled.ok) throw new Error(compiled.message)
  const { program } = compiled
  return { actual: program.evaluate(bindings).cost, estimated: program.estimatedCost }
}
