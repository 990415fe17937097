import { forbidden, isDNS1123Label } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import { OVIM_GROUP } from '../../kinds/names.js'
import { Zone } from '../../kinds/zone.js'
import { AGENT_HEADERS } from '../../wire/protocol.js'
import type { Caller } from '../access/identity.js'
import type { Permissions } from '../access/permissions.js'
import { Problem } from '../server/problem.js'
import type { Call } from '../server/router.js'

/** The agent that sent a request. Its zone is the one that its credentials are for, whatever the body says. */
export interface SpokeAgent {
  readonly agentId: string
  readonly clusterId: string
  readonly zone: string
  readonly version: string
}

const MAX_ID = 253

/**
 * Finds out which agent sent a request. An agent acts for a zone if it may update `zones/agent` with the name of the zone. Throws a 401
 * without the headers of agents, and a 403 if they do not agree with the identity.
 */
export async function agentOf(
  { request, caller }: Pick<Call, 'request' | 'caller'>,
  permissions: Permissions,
  zones: Informer<Zone>,
): Promise<SpokeAgent> {
  const header = (name: string) => [request.headers[name] ?? ''].flat()[0]?.trim() ?? ''
  const agent = {
    agentId: header(AGENT_HEADERS.agentId),
    clusterId: header(AGENT_HEADERS.clusterId),
    zone: header(AGENT_HEADERS.zoneId),
    version: header(AGENT_HEADERS.version).slice(0, MAX_ID),
  }
  if (agent.agentId === '' || agent.clusterId === '' || agent.zone === '') {
    throw new Problem(401, 'Missing required headers: X-Agent-ID, X-Cluster-ID and X-Zone-ID')
  }
  if (agent.agentId.length > MAX_ID) throw new Problem(400, `X-Agent-ID is longer than ${MAX_ID} characters`)
  if (isDNS1123Label(agent.zone).length > 0) throw new Problem(400, 'X-Zone-ID is not the name of a zone')
  await permissions.require(caller, { ...ZONE_AGENT, name: agent.zone })
  const cluster = clusterOf(zones.get({ name: agent.zone }), agent.zone)
  if (agent.clusterId !== cluster) throw refused(caller, agent.zone, `X-Cluster-ID must be ${JSON.stringify(cluster)}`)
  return agent
}

const ZONE_AGENT = { verb: 'update', group: OVIM_GROUP, resource: Zone.plural, subresource: 'agent' } as const

/** The cluster of a zone. Only an administrator can name another than that of the zone's own name. */
export function clusterOf(zone: Zone | undefined, name: string): string {
  return zone?.spec?.clusterName ?? name
}

/** Requires that an id in a body or query is the one of the agent. */
export function requireSame(what: string, given: string, own: string, caller: Caller, zone: string): void {
  if (given !== own)
    throw refused(caller, zone, `${what} is ${JSON.stringify(given)}, and the agent is ${JSON.stringify(own)}`)
}

function refused({ username }: Caller, zone: string, why: string) {
  const who = `user ${JSON.stringify(username)}`
  return forbidden(
    { group: OVIM_GROUP, resource: Zone.plural },
    zone,
    `${who} acts for zone ${JSON.stringify(zone)}: ${why}`,
  )
}
