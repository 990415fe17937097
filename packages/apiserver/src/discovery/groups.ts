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

/**
 * Returns whether a resource has only subresources. Clients must not take it for the resource of the same name in
 * another group, so it is listed without a kind, or not at all, as in kube-apiserver.
 */
export function isOnlyParent({ verbs, subresources }: Resource): boolean {
  return verbs.length === 0 && subresources.size > 0
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
