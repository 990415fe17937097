import { createHash } from 'node:crypto'
import type { JsonObject } from '@orrery/kinds'
import type { Subresource } from '@orrery/kinds/tables'
import { formatGroupVersion } from '@orrery/kinds/values'
import type { Resource } from '../kinds/resource.js'
import { type ApiGroup, type ApiVersion, isOnlyParent } from './groups.js'

/** `/api`: the versions of the core group. */
export function apiVersions(core: ApiGroup | undefined, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** `/apis`: all groups except the core group. */
export function apiGroupList(groups: readonly ApiGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupEntry) }
}

/** `/apis/<group>`. */
export function apiGroup(group: ApiGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }
}

/** `/api/v1` and `/apis/<group>/<version>`: resources and subresources. */
export function apiResourceList(group: string, { version, resources }: ApiVersion): JsonObject {
  const list: JsonObject = { kind: 'APIResourceList' }
  // The document of the core group has no apiVersion, as in kube-apiserver.
  if (group !== '') list.apiVersion = 'v1'
  list.groupVersion = formatGroupVersion(group, version)
  list.resources = resources.flatMap((resource) => [
    ...(isOnlyParent(resource) ? [] : [resourceEntry(resource)]),
    ...[...resource.subresources.values()].map((subresource) => subresourceEntry(resource, subresource)),
  ])
  return list
}

function groupEntry({ name, versions }: ApiGroup): JsonObject {
  const entries = versions.map(({ version }) => ({ groupVersion: formatGroupVersion(name, version), version }))
  return { name, versions: entries, preferredVersion: { ...entries[0] } }
}

function resourceEntry(resource: Resource): JsonObject {
  const entry: JsonObject = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
  }
  if (resource.shortNames.length > 0) entry.shortNames = [...resource.shortNames]
  if (resource.categories.length > 0) entry.categories = [...resource.categories]
  if (isStored(resource)) entry.storageVersionHash = storageVersionHash(resource)
  return entry
}

function subresourceEntry(resource: Resource, subresource: Subresource): JsonObject {
  const entry: JsonObject = {
    name: `${resource.plural}/${subresource.name}`,
    singularName: '',
    namespaced: resource.namespaced,
  }
  if (subresource.group !== resource.group || subresource.version !== resource.version) {
    entry.group = subresource.group
    entry.version = subresource.version
  }
  entry.kind = subresource.kind
  entry.verbs = [...subresource.verbs]
  return entry
}

/** Returns whether a resource is stored: then it can be watched. Reviews and bindings are not. */
function isStored(resource: Resource): boolean {
  return resource.verbs.includes('watch')
}

/** Returns the hash by which clients see whether two versions of a resource have the same storage version. */
function storageVersionHash({ group, storage, kind }: Resource): string {
  return createHash('sha256').update(`${group}/${storage.version}/${kind}`).digest().subarray(0, 8).toString('base64')
}
