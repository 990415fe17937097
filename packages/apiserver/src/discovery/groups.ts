import type { Resource } from '../kinds/resource.js'
import { compareVersions } from './version-order.js'

/** An API group with its versions, the preferred one first. The core group has no name. */
export interface ApiGroup {
  readonly name: string
  readonly versions: readonly ApiVersion[]
}

export interface ApiVersion {
  readonly version: string
  readonly resources: readonly Resource[]
}

/** The order clients search groups in when a resource name is not qualified. Any other group follows, by name. */
const GROUP_ORDER = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
]

const RANK: ReadonlyMap<string, number> = new Map(GROUP_ORDER.map((name, index) => [name, index]))

/** Arranges resources as discovery lists them. */
export function groupResources(resources: Iterable<Resource>): readonly ApiGroup[] {
  const groups = new Map<string, Map<string, Resource[]>>()
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, Resource[]>()
    groups.set(resource.group, versions)
    const sharing = versions.get(resource.version) ?? []
    versions.set(resource.version, sharing)
    sharing.push(resource)
  }
  return [...groups.entries()]
    .sort(([a], [b]) => compareGroups(a, b))
    .map(([name, versions]) => ({
      name,
      versions: [...versions.entries()]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, sharing]) => ({
          version,
          resources: sharing.sort((a, b) => compareNames(a.plural, b.plural)),
        })),
    }))
}

function compareGroups(a: string, b: string): number {
  const last = GROUP_ORDER.length
  return (RANK.get(a) ?? last) - (RANK.get(b) ?? last) || compareNames(a, b)
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
