import { CelBudget, compile, type Program } from '@orrery/cel'
import { placementLanguage, withScoresOf } from './cel-library.js'
import { celObject } from './cel-object.js'
import type { ClusterFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'
import type { SchedulingState } from './state.js'

/** The cost limit for all clusters of a placement together: about a second. */
const SCHEDULING_COST_LIMIT = 20_000_000

/** The cost of all CEL expressions in one run of the scheduler. */
export class CelMeter {
  readonly #clusters: number
  #spent = 0

  constructor(clusters: number) {
    this.#clusters = clusters
  }

  /** Throws `Misconfigured` if the limit is exceeded. It depends on the sum only, so the order of clusters does not matter. */
  charge(cost: number): void {
    this.#spent += cost
    if (this.#spent <= SCHEDULING_COST_LIMIT) return
    const problem = `the CEL expressions cost too much for ${this.#clusters} clusters: simplify them, or select by labels too`
    throw new Misconfigured('spec.predicates', problem)
  }
}

/** An expression that is not true for a cluster. */
export interface CelFailure {
  readonly source: string
  /** `is false`, `fails: no such key: x`. */
  readonly problem: string
}

interface CelResult {
  readonly failure: CelFailure | undefined
  readonly cost: number
}

/** The CEL expressions of one predicate. All must be true for a cluster. */
export class CelSelector {
  readonly #programs: readonly Program[]
  /** Whether the result depends on nothing but the cluster. */
  readonly #isStatic: boolean
  readonly #results = new WeakMap<ClusterFacts, CelResult>()

  /** Throws `Misconfigured` if an expression does not compile. */
  constructor(sources: readonly string[], path: string, budget: CelBudget) {
    this.#programs = sources.map((source, index) => compileExpression(source, `${path}[${index}]`, budget))
    this.#isStatic = !sources.some((source) => source.includes('scores'))
  }

  get usesScores(): boolean {
    return !this.#isStatic
  }

  matches(facts: ClusterFacts, state: SchedulingState, meter?: CelMeter): boolean {
    const { failure, cost } = this.#evaluate(facts, state)
    meter?.charge(cost)
    return failure === undefined
  }

  /** The first expression that is not true for the cluster, and why. */
  failure(facts: ClusterFacts, state: SchedulingState): CelFailure | undefined {
    return this.#evaluate(facts, state).failure
  }

  #evaluate(facts: ClusterFacts, state: SchedulingState): CelResult {
    const known = this.#results.get(facts)
    if (known !== undefined) return known
    const managedCluster = celObject(facts.cluster)
    const budget = new CelBudget()
    const failure = withScoresOf(state, () => firstFailure(this.#programs, managedCluster, budget))
    const result = { failure, cost: budget.spent }
    if (this.#isStatic) this.#results.set(facts, result)
    return result
  }
}

function compileExpression(source: string, field: string, budget: CelBudget): Program {
  try {
    budget.compile(source)
  } catch (error) {
    throw new Misconfigured(field, 'the expressions are too long: shorten them', { cause: error })
  }
  const compilation = compile(source, placementLanguage)
  if (!compilation.ok) throw new Misconfigured(field, `does not compile: ${compilation.message}`)
  return compilation.program
}

function firstFailure(
  programs: readonly Program[],
  managedCluster: unknown,
  budget: CelBudget,
): CelFailure | undefined {
  for (const program of programs) {
    const problem = problemOf(program, managedCluster, budget)
    if (problem !== undefined) return { source: program.source, problem }
  }
  return undefined
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
