import type { Deployment } from '@orrery/kinds'
import { share } from '../int-or-percent.js'

/** How far the number of pods may deviate from `replicas` during a rollout. */
export interface Bounds {
  readonly replicas: number
  readonly maxSurge: number
  readonly maxUnavailable: number
}

export function boundsOf({ spec }: Deployment): Bounds {
  const replicas = spec.replicas ?? 1
  if (spec.strategy?.type === 'Recreate') return { replicas, maxSurge: 0, maxUnavailable: 0 }
  const { maxSurge, maxUnavailable } = spec.strategy?.rollingUpdate ?? {}
  const surge = share(maxSurge, replicas, 'up')
  const unavailable = share(maxUnavailable, replicas, 'down')
  // If both were 0, no pod could ever be replaced.
  return {
    replicas,
    maxSurge: surge,
    maxUnavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas),
  }
}
