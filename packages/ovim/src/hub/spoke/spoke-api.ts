import type { Informer } from '@orrery/kube'
import type { Zone } from '../../kinds/zone.js'
import { readOperationResult } from '../../wire/operation.js'
import { MAX_WAIT_SECONDS, type Receipt, SPOKE_PATHS } from '../../wire/protocol.js'
import { readStatusReport } from '../../wire/status-report.js'
import { readVdcDeletionMessage, readVdcStatusMessage } from '../../wire/vdc-messages.js'
import type { Permissions } from '../access/permissions.js'
import type { OperationQueue } from '../queue/operation-queue.js'
import { Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import type { ZoneTemplates } from '../templates/zone-templates.js'
import type { AgentContacts } from '../zones/agent-contacts.js'
import type { StatusReports } from '../zones/status-reports.js'
import { agentOf, requireSame, type SpokeAgent } from '../zones/zone-agents.js'

export interface SpokeApiOptions {
  readonly permissions: Permissions
  readonly zones: Informer<Zone>
  readonly queue: OperationQueue
  readonly reports: StatusReports
  readonly contacts: AgentContacts
  readonly templates: ZoneTemplates
}

export const SPOKE_PREFIX = '/api/v1/spoke'

/** Operations in one response. The agent asks again at once. */
const MAX_OPERATIONS = 50
const RESULT_PATH = `${SPOKE_PATHS.operations}/{id}/result`

/** The API of agents. */
export function spokeRoutes(options: SpokeApiOptions): RouteSpec[] {
  const { permissions, zones, queue, reports, contacts, templates } = options
  const agentFor = (call: Call) => agentOf(call, permissions, zones)

  const status = async (call: Call): Promise<Answer> => {
    const agent = await agentFor(call)
    const report = readStatusReport(await call.body())
    requireSame('agent_id', report.agent_id, agent.agentId, call.caller, agent.zone)
    requireSame('cluster_id', report.cluster_id, agent.clusterId, call.caller, agent.zone)
    requireSame('zone_id', report.zone_id, agent.zone, call.caller, agent.zone)
    await reports.receive(agent, report)
    return received('Status report processed successfully')
  }

  const operations = async (call: Call): Promise<Answer> => {
    const agent = await agentFor(call)
    const agentId = call.query.get('agent_id') ?? ''
    if (agentId === '') throw new Problem(400, 'Missing agent_id parameter')
    requireSame('agent_id', agentId, agent.agentId, call.caller, agent.zone)
    const wait = waitOf(call.query.get('wait'))
    contacts.heard(agent)
    const found =
      wait === 0
        ? await queue.take(agent, MAX_OPERATIONS)
        : await queue.takeWithin(agent, MAX_OPERATIONS, wait * 1_000, call.signal)
    return found.length === 0 ? { status: 204 } : { status: 200, body: found }
  }

  const result = async (call: Call): Promise<Answer> => {
    const agent = await agentFor(call)
    const { id = '' } = call.params
    const reception = await queue.report(agent, id, readOperationResult(await call.body(), id))
    // Agents repeat a result until it is received: an operation that is gone must not make them repeat it forever.
    return reception === 'unknown'
      ? received('The operation is not known any more: the result was ignored')
      : received('Operation result processed successfully')
  }

  const vdcStatus = async (call: Call): Promise<Answer> => {
    const agent = await agentFor(call)
    const message = readVdcStatusMessage(await call.body())
    await reportOfVdc(agent, message.operation_id, vdcResult(message.phase, message.message))
    return received('VDC status processed successfully')
  }

  const vdcDeletion = async (call: Call): Promise<Answer> => {
    const agent = await agentFor(call)
    const message = readVdcDeletionMessage(await call.body())
    const isComplete = message.cleanup_completed || message.status.startsWith('deleted')
    const error = isComplete ? undefined : `the virtual data center was not deleted: ${message.status}`
    await reportOfVdc(agent, message.operation_id, { status: isComplete ? 'completed' : 'failed', error })
    return received('VDC deletion processed successfully')
  }

  /** These messages say the same as the result of their operation, and may come without one. */
  const reportOfVdc = async (agent: SpokeAgent, id: string, outcome: Outcome | undefined): Promise<void> => {
    if (id === '' || outcome === undefined) return
    const { status, error } = outcome
    await queue.report(agent, id, { operation_id: id, status, timestamp: '', ...(error !== undefined && { error }) })
  }

  const listTemplates = async (call: Call): Promise<Answer> => {
    const agent = await agentFor(call)
    return { status: 200, body: { templates: templates.of(agent.zone) } }
  }

  return [
    { path: SPOKE_PATHS.status, methods: { POST: status } },
    { path: SPOKE_PATHS.operations, methods: { GET: operations } },
    { path: RESULT_PATH, methods: { POST: result } },
    { path: SPOKE_PATHS.vdcStatus, methods: { POST: vdcStatus } },
    { path: SPOKE_PATHS.vdcDeletion, methods: { POST: vdcDeletion } },
    { path: SPOKE_PATHS.templates, methods: { GET: listTemplates } },
  ]
}

interface Outcome {
  readonly status: 'completed' | 'failed' | 'running'
  readonly error?: string | undefined
}

function vdcResult(phase: string, message = ''): Outcome | undefined {
  if (phase === 'Active') return { status: 'completed' }
  if (phase === 'Failed' || phase === 'DeletionFailed') {
    return { status: 'failed', error: message || `the virtual data center is ${phase} on the cluster` }
  }
  return phase === 'Pending' || phase === 'DeletionPending' ? { status: 'running' } : undefined
}

function received(message: string): Answer {
  const body: Receipt = { status: 'received', message }
  return { status: 200, body }
}

/** Seconds of a long poll. */
function waitOf(text: string | null): number {
  if (text === null || text === '') return 0
  const seconds = Number(text)
  if (!(seconds >= 0))
    throw new Problem(400, `wait must be a number of seconds, such as 30, and is ${JSON.stringify(text)}`)
  return Math.min(seconds, MAX_WAIT_SECONDS)
}
