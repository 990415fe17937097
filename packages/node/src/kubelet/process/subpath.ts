import type { VolumeMount } from '@orrery/kinds'
import { NotStarted } from '../container/not-started.js'
import { ByteBudget } from '../downward-api/byte-budget.js'
import { expand } from './expansion.js'

/** More than Linux accepts as a path. */
const LONGEST_PATH = 64 * 1024

/**
 * Returns the path in a volume that is mounted; empty for the whole volume. Throws `NotStarted` for a path outside the
 * volume.
 */
export function subPathOf(
  { subPath = '', subPathExpr }: VolumeMount,
  lookUp: (name: string) => string | undefined,
): string {
  const path = subPathExpr === undefined ? subPath : expandWhole(subPathExpr, lookUp)
  if (path.startsWith('/')) throw misconfigured(`error SubPath \`${path}\` must not be an absolute path`)
  if (path.split('/').includes('..'))
    throw misconfigured(`unable to provision SubPath \`${path}\`: must not contain '..'`)
  return path
}

/** Unlike in arguments, an unknown variable is an error. */
function expandWhole(text: string, lookUp: (name: string) => string | undefined): string {
  const budget = new ByteBudget(LONGEST_PATH, () => misconfigured('a subPathExpr is too long: shorten it'))
  const valueFor = (name: string) => {
    const value = lookUp(name)
    if (value === undefined) throw misconfigured(`missing value for ${JSON.stringify(name)}`)
    return value
  }
  return expand(text, valueFor, budget)
}

function misconfigured(message: string): NotStarted {
  return new NotStarted('CreateContainerConfigError', message)
}
