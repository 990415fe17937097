import { REQUESTED_BY_ANNOTATION } from '../../kinds/names.js'
import { Organization } from '../../kinds/organization.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { type Fields, present } from '../../wire/fields.js'
import { NETWORK_POLICIES, organizationNamespace } from '../../wire/vdc-payloads.js'
import { fieldProblem, Problem } from '../server/problem.js'
import type { Answer, Call, RouteSpec } from '../server/router.js'
import { type QuotaCandidate, zoneQuotaProblem } from '../vdcs/zone-quota.js'
import { inRestNames, readBody } from './bodies.js'
import type { UserContext } from './context.js'
import { idOf, ownerOf } from './ids.js'
import { vdcJson, vdcUsageJson } from './resources.js'
import { QUOTA_NAMES } from './zone-quotas.js'

const UPDATE_FIELDS = [
  'display_name',
  'description',
  'cpu_quota',
  'memory_quota',
  'storage_quota',
  'pods_quota',
  'vms_quota',
  'min_cpu',
  'max_cpu',
  'min_memory',
  'max_memory',
  'network_policy',
  'custom_network_config',
  'catalog_restrictions',
]
const CREATE_FIELDS = ['name', 'org_id', 'zone_id', 'placement', ...UPDATE_FIELDS]
const NAMES = {
  'metadata.name': 'name',
  'spec.zoneId': 'zone_id',
  'spec.quota.cpu': 'cpu_quota',
  'spec.quota.memory': 'memory_quota',
  'spec.quota.storage': 'storage_quota',
  'spec.quota.pods': 'pods_quota',
  'spec.quota.virtualMachines': 'vms_quota',
  'spec.limitRange.minCpu': 'min_cpu',
  'spec.limitRange.maxCpu': 'max_cpu',
  'spec.limitRange.minMemory': 'min_memory',
  'spec.limitRange.maxMemory': 'max_memory',
}

/** Virtual data centers. */
export function vdcRoutes(context: UserContext): RouteSpec[] {
  const { client, forecast } = context
  const kind = VirtualDataCenter as never
  const find = ({ caller, params }: Call) => context.find(caller, VirtualDataCenter, params.id ?? '')

  const accepted = (vdc: VirtualDataCenter, body: object = vdcJson(vdc)): Answer => {
    const operation = `${ownerOf(vdc.metadata.namespace)}.${forecast.nextName(vdc)}`
    return {
      status: 202,
      headers: { location: `/api/v1/operations/${operation}` },
      body: { ...body, operation_id: operation },
    }
  }

  const list = async ({ caller, query }: Call): Promise<Answer> => {
    const zone = query.get('zone')
    const all = await context.list(caller, VirtualDataCenter, query.get('organization'))
    const vdcs = all.filter(({ status }) => zone === null || status?.zone === zone).map(vdcJson)
    return { status: 200, body: { vdcs, total: vdcs.length } }
  }

  const create = async ({ caller, body }: Call): Promise<Answer> => {
    const { name, organization, spec } = readBody(await body(), CREATE_FIELDS, (fields) => {
      const placement = fields.object('placement')
      const { quota, limitRange, ...rest } = specOf(fields)
      return {
        name: fields.requiredText('name'),
        organization: fields.requiredText('org_id'),
        spec: {
          ...present({
            zoneId: fields.text('zone_id'),
            placementRef:
              placement && present({ name: placement.requiredText('name'), namespace: placement.text('namespace') }),
          }),
          ...rest,
          ...(quota && { quota }),
          ...(limitRange && { limitRange }),
        },
      }
    })
    const namespace = organizationNamespace(organization)
    await context.require(caller, 'create', kind, { namespace })
    requireZoneQuota(context, organization, spec.zoneId as string | undefined, { quota: spec.quota })
    const metadata = { namespace, name, annotations: { [REQUESTED_BY_ANNOTATION]: caller.username } }
    const created = client.create(VirtualDataCenter, { metadata, spec }, { fieldValidation: 'Strict' })
    return accepted(await inRestNames(NAMES, created))
  }

  const update = async (call: Call): Promise<Answer> => {
    const spec = readBody(await call.body(), UPDATE_FIELDS, specOf)
    const vdc = await find(call)
    const { namespace, name } = vdc.metadata
    await context.require(call.caller, 'patch', kind, { namespace, name })
    if (vdc.metadata.deletionTimestamp !== undefined)
      throw new Problem(409, `virtual data center ${name} is being deleted`)
    const quota = { ...vdc.spec.quota, ...spec.quota }
    requireZoneQuota(context, ownerOf(namespace), vdc.status?.zone, { uid: vdc.metadata.uid, quota })
    const patched = client.patch(VirtualDataCenter, { namespace, name }, { spec }, { fieldValidation: 'Strict' })
    const after = await inRestNames(NAMES, patched)
    return after.metadata.generation === vdc.metadata.generation
      ? { status: 200, body: vdcJson(after) }
      : accepted(after)
  }

  const remove = async (call: Call): Promise<Answer> => {
    const vdc = await find(call)
    const { namespace, name, uid } = vdc.metadata
    await context.require(call.caller, 'delete', kind, { namespace, name })
    await client.delete(VirtualDataCenter, { namespace, name }, { preconditions: { uid } })
    return accepted(vdc, { ...vdcJson(vdc), status: 'DeletionPending' })
  }

  const status = async (call: Call): Promise<Answer> => {
    const vdc = await find(call)
    const { phase = 'Pending', message, conditions = [], zone, workloadNamespace, operation } = vdc.status ?? {}
    const body = {
      id: idOf(vdc),
      status: phase,
      message,
      zone_id: zone,
      workload_namespace: workloadNamespace,
      operation,
      conditions,
    }
    return { status: 200, body }
  }

  const resources = async (call: Call): Promise<Answer> => {
    const vdc = await find(call)
    return { status: 200, body: { id: idOf(vdc), ...vdcUsageJson(vdc) } }
  }

  return [
    { path: '/api/v1/vdcs', methods: { GET: list, POST: create } },
    {
      path: '/api/v1/vdcs/{id}',
      methods: {
        GET: async (call) => ({ status: 200, body: vdcJson(await find(call)) }),
        PUT: update,
        PATCH: update,
        DELETE: remove,
      },
    },
    { path: '/api/v1/vdcs/{id}/status', methods: { GET: status } },
    { path: '/api/v1/vdcs/{id}/resources', methods: { GET: resources } },
    { path: '/api/v1/metrics/vdc/{id}/realtime', methods: { GET: resources } },
    { path: '/api/v1/profile/vdcs', methods: { GET: list } },
  ]
}

/** A placement is decided later: then the status of the virtual data center names what is exceeded. */
function requireZoneQuota(
  { informers }: UserContext,
  organization: string,
  zone: string | undefined,
  candidate: QuotaCandidate,
): void {
  if (zone === undefined) return
  const vdcs = informers.of(VirtualDataCenter).list(organizationNamespace(organization))
  const problem = zoneQuotaProblem(candidate, zone, informers.of(Organization).get({ name: organization }), vdcs)
  if (problem !== undefined) throw fieldProblem(QUOTA_NAMES[problem.resource], problem.message)
}

/** Plain numbers are cores and GiB for quotas, millicores and MiB for limits, as in the public implementation. */
function specOf(fields: Fields) {
  const network = fields.object('custom_network_config')
  const quota = present({
    cpu: fields.quantity('cpu_quota'),
    memory: fields.quantity('memory_quota', 'Gi'),
    storage: fields.quantity('storage_quota', 'Gi'),
    pods: fields.count('pods_quota'),
    virtualMachines: fields.count('vms_quota'),
  })
  const limitRange = present({
    minCpu: fields.quantity('min_cpu', 'm'),
    maxCpu: fields.quantity('max_cpu', 'm'),
    minMemory: fields.quantity('min_memory', 'Mi'),
    maxMemory: fields.quantity('max_memory', 'Mi'),
  })
  return present({
    displayName: fields.text('display_name'),
    description: fields.text('description'),
    quota: Object.keys(quota).length === 0 ? undefined : quota,
    limitRange: Object.keys(limitRange).length === 0 ? undefined : limitRange,
    networkPolicy: fields.choice('network_policy', NETWORK_POLICIES),
    customNetworkConfig:
      network &&
      present({
        policyType: network.choice('policy_type', ['isolate', 'allow-all'] as const),
        denyAllIngress: network.boolean('deny_all_ingress'),
        denyAllEgress: network.boolean('deny_all_egress'),
      }),
    catalogRestrictions: fields.textList('catalog_restrictions'),
  })
}
