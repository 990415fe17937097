import type { Resource } from '../kinds/resource.js'
import { compareGroups } from './group-priority.js'
import { compareVersions } from './version-order.js'

/** An API group with its versions, the preferred one first. The name of the core group is empty. */
export interface ApiGroup {
  readonly name: string
  readonly versions: readonly ApiVersion[]
}

export interface ApiVersion {
  readonly version: string
  readonly resources: readonly Resource[]
}

/** Sorts resources as discovery lists them. */
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

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
