import type { ProcessMark } from '@orrery/kube/process'
import { HUB } from './directory.js'
import type { ClusterReport, Phase } from './messages.js'

/** The state of a part of a fleet. */
export interface PartState {
  readonly name: string
  readonly phase: Phase
  /** Since when it is in this phase. */
  readonly since: string
  /** Why it is not healthy. */
  readonly detail?: string
  readonly process?: ProcessMark
  readonly url?: string
  /** How often it was restarted. */
  readonly restarts: number
  /** Whether it has never reached its phase and needs help to do so. It is retried anyway. */
  readonly cannotStart?: boolean
}

/** Whether a part is healthy. */
export function isHealthy({ name, phase }: Pick<PartState, 'name' | 'phase'>): boolean {
  return phase === (name === HUB ? 'ready' : 'available')
}

const WITHOUT_DETAIL: Partial<Record<Phase, string>> = {
  starting: 'it has not started yet',
  serving: 'it waits for the hub',
  installing: 'it is being installed',
  joining: 'it has not joined the hub yet',
  accepted: 'the hub has accepted it, but its agent has not joined yet',
  joined: 'it has joined, but has not reported that it is available yet',
  stopping: 'it is being stopped',
  stopped: 'its process is not running',
}

/** Why a part is not healthy, for people. */
export function problemOf({ phase, detail }: Pick<PartState, 'phase' | 'detail'>): string {
  return `${phase}: ${detail ?? WITHOUT_DETAIL[phase] ?? 'see its log'}`
}

/**
 * The phase of a cluster, from its own process and from the hub. Until its agent has joined, the state on the hub is
 * from an earlier start, except whether it is accepted.
 */
export function phaseOfCluster(own: Phase, report: ClusterReport | undefined): Pick<PartState, 'phase' | 'detail'> {
  if (report === undefined) return { phase: own }
  const { phase, detail, isAccepted } = report
  const known = { phase, ...(detail !== undefined && { detail }) }
  if (own === 'joining') return isAccepted ? { phase: 'accepted' } : known
  return own !== 'joined' || phase === 'joining' || phase === 'accepted' ? { phase: own } : known
}
