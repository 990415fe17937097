import {
  allLibraries,
  CelBudget,
  CelDouble,
  CelEvalError,
  type CelLibrary,
  CelList,
  CelMap,
  type CelValue,
  compile,
  dynType,
  mapType,
  overload,
  type Program,
  stringType,
} from '@orrery/cel'
import { celObject } from './cel-object.js'
import type { ClusterFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'
import type { NamedScore, SchedulingState } from './state.js'

/** Costs of cel-go for creating a list, creating a map, and reading a field or a constant. */
const LIST_COST = 10
const MAP_COST = 30
const FIELD_COST = 1
const CHARACTER_COST = 0.1

/** The state of the evaluation that is in progress. Evaluations are synchronous, so there is at most one. */
let evaluating: Pick<SchedulingState, 'scoresOf'> | undefined

const placementLibrary: CelLibrary = {
  name: 'open-cluster-management.managedcluster',
  overloads: [
    overload('cluster_scores', 'dyn.scores(string) -> list(dyn)', scores, {
      when: 'after',
      cost: (result) => LIST_COST + (result as CelList).length * (FIELD_COST + MAP_COST),
    }),
    overload('parse_json_string', 'string.parseJSON() -> dyn', parseJson, {
      when: 'after',
      cost: (result, [text]) => Math.ceil((text as string).length * CHARACTER_COST) + structureCost(result),
    }),
  ],
}

/** Not strict, because the same expressions run on other hubs. */
const language = {
  variables: { managedCluster: mapType(stringType, dynType) },
  libraries: [...allLibraries, placementLibrary],
  strict: false,
}

/** An expression that is not true for a cluster. */
export interface CelFailure {
  readonly source: string
  /** `is false`, `fails: no such key: x`. */
  readonly problem: string
}

/** The CEL expressions of one predicate. All must be true for a cluster. */
export class CelSelector {
  readonly #programs: readonly Program[]
  /** Whether the result depends on nothing but the cluster. */
  readonly #isStatic: boolean
  readonly #results = new WeakMap<ClusterFacts, boolean>()

  /** Throws `Misconfigured` if an expression does not compile. */
  constructor(sources: readonly string[], path: string, budget: CelBudget) {
    this.#programs = sources.map((source, index) => compileExpression(source, `${path}[${index}]`, budget))
    this.#isStatic = !sources.some((source) => source.includes('scores'))
  }

  get usesScores(): boolean {
    return !this.#isStatic
  }

  matches(facts: ClusterFacts, state: SchedulingState): boolean {
    if (!this.#isStatic) return this.failure(facts, state) === undefined
    let result = this.#results.get(facts)
    if (result === undefined) {
      result = this.failure(facts, state) === undefined
      this.#results.set(facts, result)
    }
    return result
  }

  /** The first expression that is not true for the cluster, and why. */
  failure(facts: ClusterFacts, state: SchedulingState): CelFailure | undefined {
    const managedCluster = celObject(facts.cluster)
    const budget = new CelBudget()
    evaluating = state
    try {
      for (const program of this.#programs) {
        const problem = problemOf(program, managedCluster, budget)
        if (problem !== undefined) return { source: program.source, problem }
      }
      return undefined
    } finally {
      evaluating = undefined
    }
  }
}

function compileExpression(source: string, field: string, budget: CelBudget): Program {
  try {
    budget.compile(source)
  } catch (error) {
    throw new Misconfigured(field, 'the expressions are too long: shorten them', { cause: error })
  }
  const compilation = compile(source, language)
  if (!compilation.ok) throw new Misconfigured(field, `does not compile: ${compilation.message}`)
  return compilation.program
}

/** An expression that fails or returns no boolean does not match. */
function problemOf(program: Program, managedCluster: unknown, budget: CelBudget): string | undefined {
  try {
    const value = budget.evaluate(program, { managedCluster })
    if (value === true) return undefined
    return value === false ? 'is false' : 'does not return a boolean'
  } catch (error) {
    return `fails: ${(error as Error).message}`
  }
}

function scores(cluster: CelValue, resource: string): CelValue {
  const metadata = cluster instanceof CelMap ? cluster.field('metadata') : undefined
  const name = metadata instanceof CelMap ? metadata.field('name') : undefined
  if (typeof name !== 'string') throw new CelEvalError('scores() needs a cluster: call managedCluster.scores()')
  const found = evaluating?.scoresOf(name, resource)
  if (found === undefined) throw new CelEvalError(`cluster ${name} has no AddOnPlacementScore ${resource}`)
  return new Items(found.map((score) => new Fields(scoreFields(score))))
}

function scoreFields({ name, value }: NamedScore): Map<string, CelValue> {
  return new Map<string, CelValue>([
    ['name', name],
    ['value', value],
  ])
}

function parseJson(text: string): CelValue {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new CelEvalError(`failed to parse json: ${(error as Error).message}`)
  }
  return parsedValue(parsed)
}

/** All numbers are doubles, as in Go. */
function parsedValue(raw: unknown): CelValue {
  if (typeof raw === 'number') return new CelDouble(raw)
  if (Array.isArray(raw)) return new Items(raw.map(parsedValue))
  if (typeof raw !== 'object' || raw === null) return raw as CelValue
  return new Fields(new Map(Object.entries(raw).map(([key, value]) => [key, parsedValue(value)])))
}

function structureCost(value: CelValue): number {
  if (value instanceof CelList) return [...value].reduce<number>((sum, item) => sum + structureCost(item), LIST_COST)
  if (!(value instanceof CelMap)) return 0
  let sum = MAP_COST
  for (const key of value.keys()) sum += structureCost(value.find(key) as CelValue)
  return sum
}

class Items extends CelList {
  readonly #items: readonly CelValue[]

  constructor(items: readonly CelValue[]) {
    super()
    this.#items = items
  }

  get length(): number {
    return this.#items.length
  }

  at(index: number): CelValue {
    return this.#items[index] as CelValue
  }
}

class Fields extends CelMap {
  readonly #fields: ReadonlyMap<string, CelValue>

  constructor(fields: ReadonlyMap<string, CelValue>) {
    super()
    this.#fields = fields
  }

  get size(): number {
    return this.#fields.size
  }

  find(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.#fields.get(key) : undefined
  }

  keys(): Iterable<CelValue> {
    return this.#fields.keys()
  }
}
