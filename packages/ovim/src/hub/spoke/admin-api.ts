import { randomUUID } from 'node:crypto'
import type { Informer, KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { MANAGED_BY_LABEL, SYSTEM_NAMESPACE, ZONE_LABEL } from '../../kinds/names.js'
import { Operation } from '../../kinds/operation.js'
import { Zone } from '../../kinds/zone.js'
import { readMessage } from '../../wire/fields.js'
import { OPERATION_TYPES, type OperationType, operationTypeOf } from '../../wire/operation-types.js'
import { accessTo, type Permissions } from '../access/permissions.js'
import { isFinished, phaseOf } from '../queue/operation-state.js'
import { Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import type { AgentContacts } from '../zones/agent-contacts.js'
import { clusterOf } from '../zones/zone-agents.js'
import { STALE_MS } from '../zones/zone-status.js'
import { SPOKE_PREFIX } from './spoke-api.js'

export interface AdminApiOptions {
  readonly client: KubeClient
  readonly permissions: Permissions
  readonly zones: Informer<Zone>
  readonly operations: Informer<Operation>
  readonly contacts: AgentContacts
  readonly clock: Clock
}

/** Agents and operations for administrators, at the paths of the public implementation. Permissions are those of the objects. */
export function adminRoutes({ client, permissions, zones, operations, contacts, clock }: AdminApiOptions): RouteSpec[] {
  const agents = async ({ caller }: Call): Promise<Answer> => {
    await permissions.require(caller, accessTo('list', Zone))
    const known = zones.list().flatMap((zone) => {
      const { name } = zone.metadata
      const agent = zone.status?.agent
      if (agent === undefined) return []
      const { lastReport, lastContact } = contacts.get(name) ?? {}
      const last = lastReport?.toISOString() ?? agent.lastContact
      const isStale = clock.now().getTime() - Date.parse(last) > STALE_MS
      return {
        agent_id: agent.id,
        cluster_id: clusterOf(zone, name),
        zone_id: name,
        status: isStale ? 'stale' : agent.status,
        version: agent.version,
        last_report: last,
        last_hub_contact: lastContact?.toISOString() ?? last,
        vm_count: zone.status?.vmCount ?? 0,
        vdc_count: zone.status?.vdcCount ?? 0,
        error_count: agent.errors?.length ?? 0,
      }
    })
    return { status: 200, body: { agents: known, total: known.length } }
  }

  const queue = async ({ caller, body }: Call): Promise<Answer> => {
    await permissions.require(caller, accessTo('create', Operation, { namespace: SYSTEM_NAMESPACE }))
    const wanted = readMessage('the operation', await body(), (fields) => ({
      agentId: fields.requiredText('agent_id'),
      type: fields.requiredText('type'),
      payload: fields.json('payload') ?? {},
      timeoutSeconds: fields.count('timeout_seconds'),
    }))
    const zone = zones
      .list()
      .find(({ metadata, status }) => status?.agent?.id === wanted.agentId || metadata.name === wanted.agentId)
    if (zone === undefined) throw new Problem(404, `no agent ${JSON.stringify(wanted.agentId)} has reported`)
    const type = operationTypeOf(wanted.type)
    if (!OPERATION_TYPES.some((known) => known === type)) {
      throw new Problem(400, `type must be one of ${OPERATION_TYPES.join(', ')}, and is ${JSON.stringify(wanted.type)}`)
    }
    const { name, uid } = zone.metadata
    const { timeoutSeconds } = wanted
    const created = await client.create(Operation, {
      metadata: {
        namespace: SYSTEM_NAMESPACE,
        name: `op-${randomUUID()}`,
        labels: { [ZONE_LABEL]: name, [MANAGED_BY_LABEL]: 'ovim' },
      },
      spec: {
        type: type as OperationType,
        zone: name,
        target: { kind: 'Zone', name, uid },
        payload: wanted.payload,
        requestedBy: caller.username,
        ...(timeoutSeconds && { timeoutSeconds }),
      },
    })
    return {
      status: 200,
      body: { operation_id: created.metadata.uid, status: 'queued', message: 'Operation queued successfully' },
    }
  }

  const result = async ({ caller, params }: Call): Promise<Answer> => {
    const operation = operations.list().find(({ metadata }) => metadata.uid === params.id)
    const { namespace, name } = operation?.metadata ?? {}
    await permissions.require(
      caller,
      accessTo('get', Operation, { namespace: namespace ?? SYSTEM_NAMESPACE, name: name ?? params.id }),
    )
    if (operation === undefined || !isFinished(operation)) throw new Problem(404, 'Operation result not found')
    const { status = {} } = operation
    return {
      status: 200,
      body: {
        operation_id: params.id,
        status: phaseOf(operation) === 'Completed' ? 'completed' : 'failed',
        result: status.result,
        error: status.error,
        timestamp: status.completedAt,
        duration: status.durationMilliseconds === undefined ? undefined : status.durationMilliseconds * 1e6,
      },
    }
  }

  return [
    { path: `${SPOKE_PREFIX}/admin/agents`, methods: { GET: agents } },
    { path: `${SPOKE_PREFIX}/admin/operations/queue`, methods: { POST: queue } },
    { path: `${SPOKE_PREFIX}/admin/operations/{id}/result`, methods: { GET: result } },
  ]
}
