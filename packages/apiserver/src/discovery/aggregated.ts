import type { JsonObject } from '@orrery/kinds'
import type { Subresource } from '@orrery/kinds/tables'
import type { Resource } from '../kinds/resource.js'
import { type ApiGroup, type ApiVersion, isOnlyParent } from './groups.js'

export type AggregatedVersion = 'v2' | 'v2beta1'

/** `/api` and `/apis` of KEP-3352 (aggregated discovery): everything in one document. */
export function groupDiscoveryList(groups: readonly ApiGroup[], version: AggregatedVersion): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(versionEntry),
    })),
  }
}

function versionEntry({ version, resources }: ApiVersion): JsonObject {
  return { version, resources: resources.map(resourceEntry), freshness: 'Current' }
}

function resourceEntry(resource: Resource): JsonObject {
  const entry: JsonObject = {
    resource: resource.plural,
    responseKind: isOnlyParent(resource) ? { group: '', version: '', kind: '' } : responseKind(resource, resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: isOnlyParent(resource) ? '' : resource.singular,
    verbs: [...resource.verbs],
  }
  if (resource.shortNames.length > 0) entry.shortNames = [...resource.shortNames]
  if (resource.categories.length > 0) entry.categories = [...resource.categories]
  if (resource.subresources.size > 0) {
    entry.subresources = [...resource.subresources.values()].map((subresource) => ({
      subresource: subresource.name,
      responseKind: responseKind(resource, subresource),
      verbs: [...subresource.verbs],
    }))
  }
  return entry
}

/** Built-in resources omit a group and version equal to those of their list. */
function responseKind(resource: Resource, { group, version, kind }: Resource | Subresource): JsonObject {
  const same = group === resource.group && version === resource.version
  return same && !resource.custom ? { group: '', version: '', kind } : { group, version, kind }
}
