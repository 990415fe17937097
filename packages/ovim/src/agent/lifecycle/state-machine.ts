import type { AgentState, ReportedStatus } from '../../wire/index.js'

/** What decides the state of an agent. */
export interface Conditions {
  /** `registered`: the hub accepted a status report. `lost`: it is unreachable. `retrying`: a report is on its way. */
  readonly hub: 'registered' | 'lost' | 'retrying'
  /** How many components have failed. */
  readonly failing: number
  /** How many of them the agent cannot work without. */
  readonly failingCritical: number
}

/** With this many failed components, or one that the agent cannot work without, the agent is Unhealthy. */
const MULTIPLE_FAILURES = 2

/**
 * One transition; the same state if there is none.
 *
 * | from         | to           | when                                             |
 * |--------------|--------------|--------------------------------------------------|
 * | Connecting   | Healthy      | the hub accepted a status report                 |
 * | Connecting   | Disconnected | the hub is unreachable                           |
 * | Healthy      | Degraded     | a component has failed                           |
 * | Healthy      | Disconnected | the hub is unreachable                           |
 * | Degraded     | Unhealthy    | several components, or a critical one, have failed |
 * | Degraded     | Healthy      | all components work                              |
 * | Degraded     | Disconnected | the hub is unreachable                           |
 * | Unhealthy    | Degraded     | at most one component fails, and no critical one |
 * | Disconnected | Connecting   | the agent contacts the hub again                 |
 *
 * An Unhealthy agent that loses its hub stays Unhealthy: that is the worse of the two.
 */
export function nextState(state: AgentState, conditions: Conditions): AgentState {
  const { hub, failing } = conditions
  switch (state) {
    case 'Connecting':
      if (hub === 'registered') return 'Healthy'
      return hub === 'lost' ? 'Disconnected' : 'Connecting'
    case 'Healthy':
      if (hub !== 'registered') return 'Disconnected'
      return failing > 0 ? 'Degraded' : 'Healthy'
    case 'Degraded':
      if (isUnhealthy(conditions)) return 'Unhealthy'
      if (hub !== 'registered') return 'Disconnected'
      return failing > 0 ? 'Degraded' : 'Healthy'
    case 'Unhealthy':
      return isUnhealthy(conditions) ? 'Unhealthy' : 'Degraded'
    case 'Disconnected':
      return hub === 'lost' ? 'Disconnected' : 'Connecting'
  }
}

function isUnhealthy({ failing, failingCritical }: Conditions): boolean {
  return failing >= MULTIPLE_FAILURES || failingCritical > 0
}

/** All transitions until the state fits the conditions, without the first state. */
export function transitions(state: AgentState, conditions: Conditions): AgentState[] {
  const states: AgentState[] = []
  for (let next = nextState(state, conditions); next !== state; next = nextState(state, conditions)) {
    states.push(next)
    state = next
  }
  return states
}

const REPORTED: Readonly<Record<AgentState, ReportedStatus>> = {
  Healthy: 'healthy',
  Degraded: 'degraded',
  Connecting: 'degraded',
  Disconnected: 'degraded',
  Unhealthy: 'unavailable',
}

/** The status of a report in this state. */
export function reportedStatus(state: AgentState): ReportedStatus {
  return REPORTED[state]
}
