import { Organization } from '../../kinds/organization.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { Zone } from '../../kinds/zone.js'
import { accessTo } from '../access/permissions.js'
import { sizeOf } from '../machines/admission.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { isSubject, type UserContext } from './context.js'
import { zoneJson } from './resources.js'

/** Who the caller is, and summaries of what the caller may see. */
export function overviewRoutes(context: UserContext): RouteSpec[] {
  const { informers, permissions, clock, admission } = context

  const info = async ({ caller }: Call): Promise<Answer> => {
    const isSystemAdmin = await permissions.allows(caller, accessTo('create', Organization))
    const organizations = context.organizationsOf(caller).map(({ metadata, spec }) => ({
      id: metadata.name,
      role: (spec.admins ?? []).some((one) => isSubject(one, caller)) ? 'org_admin' : 'org_user',
    }))
    const role = isSystemAdmin ? 'system_admin' : (organizations[0]?.role ?? 'none')
    return { status: 200, body: { username: caller.username, groups: caller.groups ?? [], role, organizations } }
  }

  /** Numbers of virtual machines and their resources. */
  const usageOf = (requests: readonly VirtualMachineRequest[]) => {
    const byStatus: Record<string, number> = {}
    const total = { cpu: 0, memory: 0, storage: 0 }
    for (const request of requests) {
      const { phase = 'pending' } = request.status ?? {}
      byStatus[phase] = (byStatus[phase] ?? 0) + 1
      const size = sizeOf(request, admission.templateOf(request.metadata.namespace, request.spec.template))
      for (const name of ['cpu', 'memory', 'storage'] as const) total[name] += size[name]
    }
    return { vm_count: requests.length, vms_by_status: byStatus, requested: total }
  }

  const summary = async ({ caller }: Call): Promise<Answer> => {
    const vdcs = await context.list(caller, VirtualDataCenter)
    const requests = await context.list(caller, VirtualMachineRequest)
    return { status: 200, body: { vdc_count: vdcs.length, ...usageOf(requests) } }
  }

  const realtime = async ({ caller }: Call): Promise<Answer> => {
    const mayReadZones = await permissions.allows(caller, accessTo('list', Zone))
    const zones = mayReadZones ? informers.of(Zone).list() : []
    const requests = await context.list(caller, VirtualMachineRequest)
    const body = {
      timestamp: clock.now().toISOString(),
      zones: zones.map((zone) => zoneJson(zone, clock.now())),
      ...usageOf(requests),
    }
    return { status: 200, body }
  }

  const ofOrganization = async ({ caller, params }: Call): Promise<Answer> => {
    const { metadata } = await context.find(caller, Organization, params.id ?? '')
    const requests = await context.list(caller, VirtualMachineRequest, metadata.name)
    return { status: 200, body: { id: metadata.name, timestamp: clock.now().toISOString(), ...usageOf(requests) } }
  }

  return [
    { path: '/api/v1/auth/info', methods: { GET: info } },
    { path: '/api/v1/dashboard/summary', methods: { GET: summary } },
    { path: '/api/v1/metrics/realtime', methods: { GET: realtime } },
    { path: '/api/v1/metrics/organization/{id}/realtime', methods: { GET: ofOrganization } },
  ]
}
