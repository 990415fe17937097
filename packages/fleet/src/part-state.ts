import type { ProcessMark } from '@orrery/kube/process'
import { HUB } from './directory.js'
import type { ClusterReport, Phase } from './messages.js'

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
  /** Whether it never got as far as it should, and is not likely to without somebody's help. It is tried again all the same. */
  readonly cannotStart?: boolean
}

/** Whether a part is as it should be. */
export function isHealthy({ name, phase }: Pick<PartState, 'name' | 'phase'>): boolean {
  return phase === (name === HUB ? 'ready' : 'available')
}

const WITHOUT_DETAIL: Partial<Record<Phase, string>> = {
  starting: 'it has not started yet',
  serving: 'it waits for the hub',
  installing: 'it is being installed',
  joining: 'it has not joined the hub yet',
  accepted: 'the hub has accepted it, and its agent has not joined yet',
  joined: 'it has joined, and has not reported that it is available yet',
  stopping: 'it is being stopped',
  stopped: 'its process does not run',
}

/** Why a part is not as it should be, in words. */
export function problemOf({ phase, detail }: Pick<PartState, 'phase' | 'detail'>): string {
  return `${phase}: ${detail ?? WITHOUT_DETAIL[phase] ?? 'see its log'}`
}

/**
 * What is known of a cluster, from its own process and from the hub. Until its agent has come with its own identity, what
 * the hub knows of it is from an earlier start, except whether it accepts the cluster.
 */
export function phaseOfCluster(own: Phase, report: ClusterReport | undefined): Pick<PartState, 'phase' | 'detail'> {
  if (report === undefined) return { phase: own }
  const { phase, detail, isAccepted } = report
  const known = { phase, ...(detail !== undefined && { detail }) }
  if (own === 'joining') return isAccepted ? { phase: 'accepted' } : known
  return own !== 'joined' || phase === 'joining' || phase === 'accepted' ? { phase: own } : known
}
