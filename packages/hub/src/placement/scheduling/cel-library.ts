import {
  allLibraries,
  CelDouble,
  CelEvalError,
  type CelLibrary,
  CelList,
  CelMap,
  type CelValue,
  dynType,
  mapType,
  overload,
  stringType,
} from '@orrery/cel'
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

/** The language of expressions in placements. Not strict, because the same expressions run on other hubs. */
export const placementLanguage = {
  variables: { managedCluster: mapType(stringType, dynType) },
  libraries: [...allLibraries, placementLibrary],
  strict: false,
}

/** Evaluates something whose expressions read the scores of a state. */
export function withScoresOf<T>(state: Pick<SchedulingState, 'scoresOf'>, evaluate: () => T): T {
  evaluating = state
  try {
    return evaluate()
  } finally {
    evaluating = undefined
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

/** More levels would exhaust the stack where values are converted and compared. */
const MAX_JSON_DEPTH = 100

function parseJson(text: string): CelValue {
  if (depthOf(text) > MAX_JSON_DEPTH) {
    throw new CelEvalError(`failed to parse json: it has more than ${MAX_JSON_DEPTH} levels`)
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new CelEvalError(`failed to parse json: ${(error as Error).message}`)
  }
  return parsedValue(parsed)
}

/** The most levels of brackets. Those in strings count too, which a limit can afford. */
function depthOf(text: string): number {
  let depth = 0
  let most = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > most) most = depth
  }
  return most
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
