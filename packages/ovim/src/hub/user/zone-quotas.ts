import { Organization, type ZoneQuota } from '../../kinds/organization.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { present } from '../../wire/fields.js'
import { Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { QUOTA_RESOURCES, usedInZone, zoneQuotaOf } from '../vdcs/zone-quota.js'
import { inRestNames, readBody } from './bodies.js'
import type { UserContext } from './context.js'
import { text } from './resources.js'

/** The names of quotas in bodies. */
export const QUOTA_NAMES = {
  cpu: 'cpu_quota',
  memory: 'memory_quota',
  storage: 'storage_quota',
  virtualMachines: 'vms_quota',
} as const

/** What organizations may have in zones. Members see it, system admins change it. */
export function zoneQuotaRoutes(context: UserContext): RouteSpec[] {
  const { client } = context
  const find = ({ caller, params }: Call) => context.find(caller, Organization, params.id ?? '')

  const list = async (call: Call): Promise<Answer> => {
    const organization = await find(call)
    const vdcs = await context.list(call.caller, VirtualDataCenter, organization.metadata.name)
    const zones = (organization.spec.zoneQuotas ?? []).map((quota) => quotaJson(quota, vdcs))
    return { status: 200, body: { zones, total: zones.length } }
  }

  const get = async (call: Call): Promise<Answer> => {
    const organization = await find(call)
    const zone = call.params.zone ?? ''
    const quota = zoneQuotaOf(organization, zone)
    if (quota === undefined) {
      throw new Problem(404, `organization ${organization.metadata.name} has no quota in zone ${JSON.stringify(zone)}`)
    }
    const vdcs = await context.list(call.caller, VirtualDataCenter, organization.metadata.name)
    return { status: 200, body: quotaJson(quota, vdcs) }
  }

  const put = async (call: Call): Promise<Answer> => {
    const zone = call.params.zone ?? ''
    const limits = readBody(await call.body(), Object.values(QUOTA_NAMES), (fields) =>
      present({
        cpu: fields.quantity('cpu_quota'),
        memory: fields.quantity('memory_quota', 'Gi'),
        storage: fields.quantity('storage_quota', 'Gi'),
        virtualMachines: fields.count('vms_quota'),
      }),
    )
    await change(call, (others) => [...others, { zone, ...limits }])
    return get(call)
  }

  const remove = async (call: Call): Promise<Answer> => {
    await change(call, (others) => others)
    return { status: 204 }
  }

  /** Replaces the quota of one zone. Fails with a conflict if another request does so at the same time. */
  const change = async (call: Call, quotasOf: (others: readonly ZoneQuota[]) => readonly ZoneQuota[]) => {
    const { metadata, spec } = await find(call)
    const { name, resourceVersion } = metadata
    await context.require(call.caller, 'patch', Organization as never, { name })
    const others = (spec.zoneQuotas ?? []).filter(({ zone }) => zone !== call.params.zone)
    const patch = { metadata: { resourceVersion }, spec: { zoneQuotas: [...quotasOf(others)] } }
    await inRestNames(
      { 'spec.zoneQuotas': 'zone_quotas' },
      client.patch(Organization, { name }, patch, { fieldValidation: 'Strict' }),
    )
  }

  return [
    { path: '/api/v1/organizations/{id}/zones', methods: { GET: list } },
    { path: '/api/v1/organizations/{id}/zones/{zone}/quota', methods: { GET: get, PUT: put, DELETE: remove } },
  ]
}

function quotaJson(quota: ZoneQuota, vdcs: readonly VirtualDataCenter[]): object {
  const used = usedInZone(vdcs, quota.zone)
  const limits = QUOTA_RESOURCES.map((resource) => [QUOTA_NAMES[resource], text(quota[resource])])
  return { zone_id: quota.zone, ...Object.fromEntries(limits), used }
}
