import type { CompiledPlacement } from './compile.js'
import { Misconfigured } from './misconfigured.js'

/** Placements whose expressions cost too much for a number of clusters, until their spec changes or there are fewer clusters. */
const costly = new WeakMap<CompiledPlacement, { readonly clusters: number; readonly problem: Misconfigured }>()

/** Whether the expressions of a placement were found to cost too much. They are not evaluated then. */
export function isCostly(compiled: CompiledPlacement): boolean {
  return costly.has(compiled)
}

/** Runs something that evaluates the expressions for so many clusters. Returns the problem if they cost too much. */
export function withinCost<T>(compiled: CompiledPlacement, clusters: number, run: () => T): T | Misconfigured {
  const known = costly.get(compiled)
  if (known !== undefined && clusters >= known.clusters) return known.problem
  costly.delete(compiled)
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    costly.set(compiled, { clusters, problem: error })
    return error
  }
}
