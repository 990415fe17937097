import type { VolumeMount } from '@orrery/kinds'
import { NotStarted } from '../container/not-started.js'
import { expand } from './expansion.js'

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
  return expand(text, (name) => {
    const value = lookUp(name)
    if (value === undefined) throw misconfigured(`missing value for ${JSON.stringify(name)}`)
    return value
  })
}

function misconfigured(message: string): NotStarted {
  return new NotStarted('CreateContainerConfigError', message)
}
