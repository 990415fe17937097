const STAGES = ['alpha', 'beta', ''] as const
const KUBE_VERSION = /^v([1-9]\d{0,8})(?:(alpha|beta)([1-9]\d{0,8}))?$/

interface KubeVersion {
  readonly stage: number
  readonly major: number
  readonly minor: number
}

/**
 * Sorts API versions by preference: stable before beta before alpha, newer before older, and names that are not
 * Kubernetes versions last, alphabetically.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1
    if (right !== undefined) return 1
    return a < b ? -1 : a > b ? 1 : 0
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor
}

function parse(version: string): KubeVersion | undefined {
  const match = KUBE_VERSION.exec(version)
  if (match === null) return undefined
  const [, major, stage = '', minor] = match
  return { stage: STAGES.indexOf(stage as (typeof STAGES)[number]), major: Number(major), minor: Number(minor ?? 0) }
}
