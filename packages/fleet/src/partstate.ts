import { HUB } from './directory.js'
import type { ClusterReport, Phase } from './messages.js'
import type { ProcessMark } from './processmark.js'

/** A part of a fleet as it is now. */
export interface PartState {
  readonly name: string
  readonly phase: Phase
  /** Since when it is in this phase. */
  readonly since: string
  /** Why it is not as it should be. */
  readonly detail?: string
  readonly process?: ProcessMark
  readonly url?: string
  /** How often it died and was started again. */
  readonly restarts: number
}

/** Whether a part is as it should be. */
export function isWell({ name, phase }: Pick<PartState, 'name' | 'phase'>): boolean {
  return phase === (name === HUB ? 'ready' : 'available')
}

/**
 * What is known of a cluster, from its own process and from the hub. Until its agent has come with its own identity, the
 * hub only knows how it was before.
 */
export function phaseOfCluster(own: Phase, report: ClusterReport | undefined): Pick<PartState, 'phase' | 'detail'> {
  if (report === undefined) return { phase: own }
  if (own === 'joining') return { phase: report.phase === 'joining' ? 'joining' : 'accepted' }
  if (own !== 'joined' || report.phase === 'joining' || report.phase === 'accepted') return { phase: own }
  return { phase: report.phase, ...(report.detail !== undefined && { detail: report.detail }) }
}
