import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column, count, flag, wide } from './column.js'
import { conditionOf, type Fields, fieldsOf, integer, itemsOf, sizeOf, spec, status, text, textOr } from './fields.js'

const ROLE_LABEL = 'kubernetes.io/role'
const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/'

export const NODE_COLUMNS: readonly Column[] = [
  column('Status', 'Whether the node is ready and schedulable.', nodeStatus),
  column('Roles', 'The roles of the node.', (object) => nodeRoles(object).join(',') || '<none>'),
  AGE,
  column('Version', 'Version of the kubelet.', (object) => text(nodeInfo(object).kubeletVersion)),
  wide(column('Internal-IP', 'Internal address.', (object) => nodeAddress(object, 'InternalIP'))),
  wide(column('External-IP', 'External address.', (object) => nodeAddress(object, 'ExternalIP'))),
  wide(column('OS-Image', 'The operating system.', (object) => textOr(nodeInfo(object).osImage, '<unknown>'))),
  wide(
    column('Kernel-Version', 'The kernel and architecture.', (object) => {
      const { kernelVersion, architecture } = nodeInfo(object)
      const suffix = text(architecture) === '' ? '' : ` (${text(architecture)})`
      return `${textOr(kernelVersion, '<unknown>')}${suffix}`
    }),
  ),
  wide(
    column('Container-Runtime', 'The container runtime.', (object) =>
      textOr(nodeInfo(object).containerRuntimeVersion, '<unknown>'),
    ),
  ),
]

export const NAMESPACE_COLUMNS: readonly Column[] = [
  column('Status', 'Whether it is active or terminating.', (object) => text(status(object).phase)),
  AGE,
]

export const SECRET_COLUMNS: readonly Column[] = [
  column('Type', 'The type of the data.', (object) => text(object.type)),
  column('Data', 'Number of entries.', (object) => sizeOf(object.data)),
  AGE,
]

export const CONFIG_MAP_COLUMNS: readonly Column[] = [
  column('Data', 'Number of entries.', (object) => sizeOf(object.data) + sizeOf(object.binaryData)),
  AGE,
]

export const RESOURCE_QUOTA_COLUMNS: readonly Column[] = [
  column('Request', 'Usage and limits of counts and requests.', (object) => quotaText(object, false)),
  column('Limit', 'Usage and limits of limits.', (object) => quotaText(object, true)),
  AGE,
]

export const LEASE_COLUMNS: readonly Column[] = [
  column('Holder', 'The holder of the lease.', (object) => text(spec(object).holderIdentity)),
  AGE,
]

export const PRIORITY_CLASS_COLUMNS: readonly Column[] = [
  count('Value', 'The priority: a higher value is more important.', (object) => integer(object.value)),
  flag('Global-Default', 'Whether pods without a class get this class.', (object) => object.globalDefault === true),
  AGE,
  column('PreemptionPolicy', 'Whether its pods may preempt others.', (object) => text(object.preemptionPolicy)),
]

export const RUNTIME_CLASS_COLUMNS: readonly Column[] = [
  column('Handler', 'The handler of the container runtime.', (object) => text(object.handler)),
  AGE,
]

function nodeInfo(node: KubeObject): Fields {
  return fieldsOf(status(node).nodeInfo)
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionOf(status(node).conditions, 'Ready')
  const readiness = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec(node).unschedulable === true ? `${readiness},SchedulingDisabled` : readiness
}

function nodeRoles(node: KubeObject): string[] {
  const roles = new Set<string>()
  for (const [label, value] of Object.entries(node.metadata.labels ?? {})) {
    if (label.startsWith(ROLE_LABEL_PREFIX)) roles.add(label.slice(ROLE_LABEL_PREFIX.length))
    else if (label === ROLE_LABEL) roles.add(value)
  }
  roles.delete('')
  return [...roles].sort()
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = itemsOf(status(node).addresses).find((address) => address.type === type)
  return found === undefined ? '<none>' : text(found.address)
}

function quotaText(quota: KubeObject, limits: boolean): string {
  const hard = fieldsOf(status(quota).hard)
  const used = fieldsOf(status(quota).used)
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === limits)
    .sort()
    .map((name) => `${name}: ${Object.hasOwn(used, name) ? text(used[name]) : '0'}/${text(hard[name])}`)
    .join(', ')
}
