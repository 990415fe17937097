import { type Finding, formatTime, setConditions } from '@orrery/kinds/values'
import type { Zone, ZoneStatus } from '../../kinds/zone.js'
import type { ResourceMetrics } from '../../wire/resource-metrics.js'
import type { AgentContact } from './agent-contacts.js'

export const AGENT_CONNECTED = 'AgentConnected'
export const SCHEDULABLE = 'Schedulable'

/** An agent that has not reported for so long is stale. */
export const STALE_MS = 5 * 60_000
/** `lastContact` is written again after so long, so that it is never as old as a stale agent's. */
const CONTACT_MS = 4 * 60_000
/** Smaller changes of the usage are not written. */
const USAGE_STEP = 0.01
const MAX_ERRORS = 10
const MAX_ERROR_CHARACTERS = 1_024

/** The status of a zone after a report. Equal to the present one if nothing of importance has changed. */
export function reportedStatus({ status = {}, spec }: Zone, contact: AgentContact): ZoneStatus {
  const { report, agentId, version, lastContact } = contact
  if (report === undefined) return status
  const { resources } = report.metrics
  const known = status.agent
  const isRecent =
    known !== undefined && lastContact.getTime() - Date.parse(known.lastContact) < CONTACT_MS && known.id === agentId
  const errors = (report.errors ?? []).slice(0, MAX_ERRORS).map((error) => error.slice(0, MAX_ERROR_CHARACTERS))
  const isUnschedulable = spec?.unschedulable === true
  return {
    ...status,
    agent: {
      id: agentId,
      status: report.status,
      version: report.version || version,
      lastContact: isRecent ? known.lastContact : formatTime(lastContact),
      ...(errors.length > 0 && { errors }),
    },
    capacity: quantitiesOf(resources, 'capacity'),
    usage: usageOf(status, resources),
    nodeCount: resources.node_count,
    vmCount: report.vms.length,
    vdcCount: report.vdcs.length,
    conditions: setConditions(
      status.conditions,
      [connected(contact), schedulable(report.status === 'unavailable', isUnschedulable)],
      lastContact,
    ),
  }
}

/** The status of a zone whose agent does not report any more. */
export function staleStatus({ status = {} }: Zone, now: Date): ZoneStatus {
  const since = status.agent?.lastContact
  const message =
    since === undefined
      ? 'no agent has reported yet: enable the add-on on the cluster, or start an agent'
      : `the agent has not reported since ${since}: check the agent and its connection to the hub`
  const reason = since === undefined ? 'NeverConnected' : 'ReportsStopped'
  const findings: Finding[] = [
    { type: AGENT_CONNECTED, status: since === undefined ? 'False' : 'Unknown', reason, message },
    { type: SCHEDULABLE, status: 'False', reason: 'AgentNotConnected', message },
  ]
  return {
    ...status,
    ...(status.agent !== undefined && { agent: { ...status.agent, status: 'stale' as const } }),
    conditions: setConditions(status.conditions, findings, now),
  }
}

function connected({ agentId, report }: AgentContact): Finding {
  const message = `agent ${JSON.stringify(agentId)} reports ${report?.status}`
  return { type: AGENT_CONNECTED, status: 'True', reason: 'Reporting', message }
}

function schedulable(isUnavailable: boolean, isUnschedulable: boolean): Finding {
  if (isUnschedulable) {
    const message = 'spec.unschedulable is true: no new virtual machines are created here'
    return { type: SCHEDULABLE, status: 'False', reason: 'Unschedulable', message }
  }
  if (isUnavailable) {
    return { type: SCHEDULABLE, status: 'False', reason: 'AgentUnavailable', message: 'the agent reports unavailable' }
  }
  return { type: SCHEDULABLE, status: 'True', reason: 'AgentReady', message: 'virtual machines can be created here' }
}

function usageOf(status: ZoneStatus, resources: ResourceMetrics): NonNullable<ZoneStatus['usage']> {
  const next = quantitiesOf(resources, 'used')
  const { usage } = status
  if (usage === undefined) return next
  const isClose = (['cpu', 'memory', 'storage'] as const).every((name) => {
    const capacity = resources[`${name}_capacity`]
    const before = name === 'cpu' ? Number.parseInt(String(usage.cpu), 10) : Number(usage[name])
    return Math.abs(before - resources[`${name}_used`]) <= capacity * USAGE_STEP
  })
  return isClose ? usage : next
}

/** CPU in millicores, the others in bytes. */
function quantitiesOf(resources: ResourceMetrics, what: 'used' | 'capacity') {
  return {
    cpu: `${Math.round(resources[`cpu_${what}`])}m`,
    memory: String(Math.round(resources[`memory_${what}`])),
    storage: String(Math.round(resources[`storage_${what}`])),
  }
}
