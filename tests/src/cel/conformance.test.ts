import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tests as suite } from '@bufbuild/cel-spec/testdata/conformance.js'
import { allLibraries, type CelType, compile, dynType } from '@orrery/cel'
import {
  actualText,
  bindingOf,
  expectedText,
  NotApplicable,
  type SpecType,
  type SpecValue,
  typeOf,
} from './conformance-values.js'

/** A `cel.expr.conformance.test.SimpleTest`, as far as it is used. */
interface SpecTest {
  name: string
  expr: string
  container?: string
  typeEnv?: { name: string; ident?: { type: SpecType } }[]
  bindings?: Record<string, { value: SpecValue }>
  disableCheck?: boolean
  checkOnly?: boolean
  value?: SpecValue
  typedResult?: { result?: SpecValue }
  evalError?: object
  anyEvalErrors?: object
}

interface SpecSuite {
  name: string
  suites?: SpecSuite[]
  tests?: { original: SpecTest }[]
}

/** Groups of cases for features that Kubernetes' CEL does not have, in its API server or here. */
const ABSENT: readonly { readonly what: string; readonly applies: (test: SpecTest) => boolean }[] = [
  // Every expression is checked before it runs: one that does not pass cannot be run.
  { what: 'evaluation without type checking', applies: ({ disableCheck }) => disableCheck === true },
  // Kubernetes' objects are JSON with a schema.
  { what: 'messages', applies: ({ expr }) => /\b(\w*Value|Struct|Any|Empty|FieldMask|Test\w+) *\{/.test(expr) },
  { what: 'messages', applies: ({ expr }) => /TestAllTypes|NullValue|GlobalEnum|Nested(Test|Enum)/.test(expr) },
  { what: 'containers', applies: ({ container, expr }) => container !== undefined && expr === 'y' },
  { what: 'common subexpressions (cel.block)', applies: ({ expr }) => /cel\.(block|iterVar)/.test(expr) },
  { what: 'the encoders extension', applies: ({ expr }) => expr.includes('base64.') },
  { what: 'quoted identifiers', applies: ({ expr }) => expr.includes('.`') },
  { what: 'functions without an implementation', applies: ({ typeEnv = [] }) => typeEnv.some(({ ident }) => !ident) },
]

/** Single cases in which cel-go, as Kubernetes configures it, differs from the data. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'optionals/optionals/map_null_entry_no_such_key': 'errors of presence tests on scalars are off in Kubernetes',
  'optionals/optionals/map_present_key_invalid_field': 'errors of presence tests on scalars are off in Kubernetes',
  'string_ext/value_errors/indexof_out_of_range': 'cel-go returns -1',
  'string_ext/value_errors/lastindexof_out_of_range': 'cel-go returns -1',
}

function* casesOf(suite: SpecSuite, path: readonly string[]): Generator<[string, SpecTest]> {
  for (const { original } of suite.tests ?? []) yield [[...path, original.name].join('/'), original]
  for (const child of suite.suites ?? []) yield* casesOf(child, [...path, child.name])
}

/** The expected result of an expression: its value as text, `error`, or undefined for anything. */
function expectedOutcome({ value, typedResult, evalError, anyEvalErrors }: SpecTest): string | undefined {
  if (evalError !== undefined || anyEvalErrors !== undefined) return 'error'
  if (typedResult !== undefined) return typedResult.result && expectedText(typedResult.result)
  return value === undefined ? 'bool true' : expectedText(value)
}

function outcomeOf({ expr, typeEnv = [], bindings = {}, checkOnly }: SpecTest): string {
  const types: Record<string, CelType> = {}
  for (const { name, ident } of typeEnv) if (ident !== undefined) types[name] = typeOf(ident.type)
  const data = Object.entries(bindings).map(([name, { value }]) => [name, bindingOf(value)])
  const undeclared = data.map(([name]) => [name, dynType])
  const variables = { ...Object.fromEntries(undeclared), ...types }
  const compilation = compile(expr, { variables, libraries: allLibraries, strict: false })
  if (!compilation.ok) return 'error'
  if (checkOnly) return 'checked'
  try {
    return actualText(compilation.program.evaluate(Object.fromEntries(data)).value)
  } catch {
    return 'error'
  }
}

/** Why a case is skipped; undefined for those that count. */
function reasonFor(path: string, one: SpecTest): string | undefined {
  return path in DIFFERENT ? 'different in cel-go' : ABSENT.find(({ applies }) => applies(one))?.what
}

/** Undefined if a case has the expected result, else both. */
function difference(one: SpecTest): string | undefined {
  const expected = expectedOutcome(one)
  const actual = outcomeOf(one)
  const isRight = expected === undefined || actual === 'checked' ? actual !== 'error' : actual === expected
  return isRight ? undefined : `${one.expr} is ${actual}, not ${expected}`
}

test('compile: has the results of the public conformance data', () => {
  const wrong: string[] = []
  const counts: Record<string, number> = {}
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  for (const [path, one] of casesOf(suite as SpecSuite, [])) {
    const reason = reasonFor(path, one)
    if (reason !== undefined) count(reason)
    else {
      try {
        const found = difference(one)
        if (found === undefined) count('right')
        else wrong.push(`${path}: ${found}`)
      } catch (error) {
        if (!(error instanceof NotApplicable)) throw error
        count(error.message)
      }
    }
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(counts, {
    right: 1500,
    messages: 635,
    'evaluation without type checking': 141,
    'common subexpressions (cel.block)': 36,
    'quoted identifiers': 17,
    'functions without an implementation': 5,
    'the encoders extension': 4,
    'different in cel-go': 4,
    containers: 1,
    'bindings that JSON does not have': 1,
  })
})

test('compile: differs from the conformance data only where cel-go does', () => {
  const cases = new Map(casesOf(suite as SpecSuite, []))
  for (const path of Object.keys(DIFFERENT)) {
    const one = cases.get(path) as SpecTest
    assert.notEqual(outcomeOf(one), expectedOutcome(one), path)
  }
})
