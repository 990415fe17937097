import type { Draft } from '@orrery/kinds'
import type { LimitRange, Namespace, ResourceQuota, ServiceAccount } from '@orrery/kinds/core'
import type { Role, RoleBinding } from '@orrery/kinds/rbac'
import type { VdcCreateRequest, VdcLimitRange } from '../../wire/index.js'
import { NAMESPACE_LABELS, ORGANIZATION, SPOKE_AGENT, WORKLOAD } from '../names.js'

export const QUOTA = 'vdc-quota'
export const LIMITS = 'vdc-limits'
const OPERATOR = 'vdc-operator'
export const VIEWERS = 'vdc-viewers'

/** Quota of data centers that set none. */
const DEFAULT_CLAIMS = '10'
const DEFAULT_MACHINES = '50'

export interface Cluster {
  readonly clusterId: string
  readonly zoneId: string
}

export function organizationNamespaceOf(request: VdcCreateRequest, { clusterId }: Cluster): Draft<Namespace> {
  return {
    metadata: {
      name: request.vdc_namespace,
      labels: {
        [NAMESPACE_LABELS.organization]: request.organization,
        [NAMESPACE_LABELS.type]: ORGANIZATION,
        [NAMESPACE_LABELS.managedBy]: SPOKE_AGENT,
        [NAMESPACE_LABELS.clusterId]: clusterId,
      },
    },
  }
}

export function workloadNamespaceOf(
  request: VdcCreateRequest,
  { zoneId }: Cluster,
  operationId: string,
): Draft<Namespace> {
  return {
    metadata: {
      name: request.target_namespace,
      labels: {
        ...request.labels,
        [NAMESPACE_LABELS.vdc]: request.vdc_name,
        [NAMESPACE_LABELS.organization]: request.organization,
        [NAMESPACE_LABELS.type]: WORKLOAD,
        [NAMESPACE_LABELS.managedBy]: SPOKE_AGENT,
        [NAMESPACE_LABELS.zoneId]: request.zone_id ?? zoneId,
      },
      annotations: {
        ...request.annotations,
        'ovim.io/created-by': SPOKE_AGENT,
        'ovim.io/operation': operationId,
        ...(request.display_name !== undefined && { 'ovim.io/vdc-display-name': request.display_name }),
        ...(request.description !== undefined && { 'ovim.io/vdc-description': request.description }),
      },
    },
  }
}

export function quotaOf({ target_namespace, quota }: VdcCreateRequest): Draft<ResourceQuota> {
  const { cpu, memory, storage, pods, virtual_machines } = quota
  return {
    metadata: { namespace: target_namespace, name: QUOTA },
    spec: {
      hard: {
        ...(cpu !== undefined && { 'requests.cpu': cpu }),
        ...(memory !== undefined && { 'requests.memory': memory }),
        ...(storage !== undefined && { 'requests.storage': storage }),
        ...(pods !== undefined && { pods }),
        persistentvolumeclaims: virtual_machines ?? DEFAULT_CLAIMS,
        'count/virtualmachines.kubevirt.io': virtual_machines ?? DEFAULT_MACHINES,
      },
    },
  }
}

/** Undefined if the data center sets no limits. */
export function limitsOf({ target_namespace, limit_range }: VdcCreateRequest): Draft<LimitRange> | undefined {
  if (limit_range === undefined) return undefined
  const bounds = (cpu: keyof VdcLimitRange, memory: keyof VdcLimitRange) => ({
    ...(limit_range[cpu] !== undefined && { cpu: limit_range[cpu] }),
    ...(limit_range[memory] !== undefined && { memory: limit_range[memory] }),
  })
  const min = bounds('min_cpu', 'min_memory')
  const max = bounds('max_cpu', 'max_memory')
  const isEmpty = (part: object) => Object.keys(part).length === 0
  const limit = {
    type: 'Container' as const,
    ...(!isEmpty(min) && { min, defaultRequest: min }),
    ...(!isEmpty(max) && { max, default: max }),
  }
  return { metadata: { namespace: target_namespace, name: LIMITS }, spec: { limits: [limit] } }
}

export function operatorAccountOf({ target_namespace }: VdcCreateRequest): Draft<ServiceAccount> {
  return { metadata: { namespace: target_namespace, name: OPERATOR } }
}

export function operatorRoleOf({ target_namespace }: VdcCreateRequest): Draft<Role> {
  return {
    metadata: { namespace: target_namespace, name: OPERATOR },
    rules: [
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines', 'virtualmachineinstances'], verbs: ['*'] },
      {
        apiGroups: ['subresources.kubevirt.io'],
        resources: [
          'virtualmachines/start',
          'virtualmachines/stop',
          'virtualmachines/restart',
          'virtualmachineinstances/pause',
          'virtualmachineinstances/unpause',
        ],
        verbs: ['update'],
      },
      { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes'], verbs: ['*'] },
      { apiGroups: [''], resources: ['persistentvolumeclaims', 'pods', 'events'], verbs: ['get', 'list', 'watch'] },
    ],
  }
}

export function operatorBindingOf({ target_namespace }: VdcCreateRequest): Draft<RoleBinding> {
  return {
    metadata: { namespace: target_namespace, name: OPERATOR },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: OPERATOR },
    subjects: [{ kind: 'ServiceAccount', namespace: target_namespace, name: OPERATOR }],
  }
}

export function viewerRoleOf({ target_namespace }: VdcCreateRequest): Draft<Role> {
  const verbs = ['get', 'list', 'watch']
  return {
    metadata: { namespace: target_namespace, name: VIEWERS },
    rules: [
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines', 'virtualmachineinstances'], verbs },
      { apiGroups: [''], resources: ['events', 'resourcequotas', 'limitranges'], verbs },
    ],
  }
}

/** Undefined if nobody is to see the machines on the cluster itself. */
export function viewerBindingOf({ target_namespace, viewers = [] }: VdcCreateRequest): Draft<RoleBinding> | undefined {
  if (viewers.length === 0) return undefined
  return {
    metadata: { namespace: target_namespace, name: VIEWERS },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: VIEWERS },
    subjects: viewers.map(({ kind, name }) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })),
  }
}
