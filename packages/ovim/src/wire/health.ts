import { type Fields, present } from './fields.js'

export const CHECK_STATUSES = ['healthy', 'warning', 'critical'] as const

export type CheckStatus = (typeof CHECK_STATUSES)[number]

/** The health of one component of an agent. */
export interface HealthCheck {
  readonly component: string
  readonly status: CheckStatus
  readonly message?: string
  readonly last_checked: string
  /** Nanoseconds. */
  readonly duration?: number
}

export const REPORTED_STATUSES = ['healthy', 'degraded', 'unavailable'] as const

/** The status of an agent in its reports. */
export type ReportedStatus = (typeof REPORTED_STATUSES)[number]

export interface AgentHealth {
  readonly status: ReportedStatus
  readonly checks: readonly HealthCheck[]
  /** Nanoseconds. */
  readonly uptime: number
  readonly version: string
  readonly last_report: string
}

export function readAgentHealth(fields: Fields): AgentHealth {
  return {
    status: fields.choice('status', REPORTED_STATUSES) ?? 'unavailable',
    checks: fields.list('checks', healthCheck) ?? [],
    uptime: fields.number('uptime') ?? 0,
    version: fields.text('version') ?? '',
    last_report: fields.time('last_report') ?? '',
  }
}

function healthCheck(fields: Fields): HealthCheck {
  return present({
    component: fields.requiredText('component'),
    status: fields.choice('status', CHECK_STATUSES) ?? 'critical',
    message: fields.text('message'),
    last_checked: fields.time('last_checked') ?? '',
    duration: fields.number('duration'),
  })
}
