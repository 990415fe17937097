import { Zone } from '../../kinds/zone.js'
import { accessTo } from '../access/permissions.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import type { UserContext } from './context.js'
import { text, zoneJson } from './resources.js'

/** Zones. Members of organizations may read them. */
export function zoneRoutes(context: UserContext): RouteSpec[] {
  const { informers, clock } = context
  const find = ({ caller, params }: Call) => context.find(caller, Zone, params.id ?? '')

  const list = async ({ caller }: Call): Promise<Answer> => {
    await context.permissions.require(caller, accessTo('list', Zone))
    const zones = informers
      .of(Zone)
      .list()
      .map((zone) => zoneJson(zone, clock.now()))
    return { status: 200, body: { zones, total: zones.length } }
  }

  const utilization = async (call: Call): Promise<Answer> => {
    const { metadata, status: { capacity, usage, vmCount = 0, vdcCount = 0, nodeCount = 0 } = {} } = await find(call)
    const of = (name: 'cpu' | 'memory' | 'storage') => ({
      used: text(usage?.[name]) ?? '0',
      capacity: text(capacity?.[name]) ?? '0',
    })
    const body = {
      id: metadata.name,
      cpu: of('cpu'),
      memory: of('memory'),
      storage: of('storage'),
      vm_count: vmCount,
      vdc_count: vdcCount,
      node_count: nodeCount,
    }
    return { status: 200, body }
  }

  return [
    { path: '/api/v1/zones', methods: { GET: list } },
    {
      path: '/api/v1/zones/{id}',
      methods: { GET: async (call) => ({ status: 200, body: zoneJson(await find(call), clock.now()) }) },
    },
    { path: '/api/v1/zones/{id}/utilization', methods: { GET: utilization } },
  ]
}
