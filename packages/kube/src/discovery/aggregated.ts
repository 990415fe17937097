import type { ApiGroup, ApiResource, ApiSubresource, ApiVersion } from './types.js'
import { isSegment, NO_SUBRESOURCES, stringsOf, usableFirst, type Wire, type WireKind } from './wire.js'

/** `APIGroupDiscoveryList`: v2 and v2beta1 only differ in their name. */
export interface AggregatedDocument {
  kind: 'APIGroupDiscoveryList'
  items: { metadata: { name: string }; versions: WireVersion[] }[]
}

interface WireVersion {
  version: string
  resources: WireResource[]
  freshness: string
}

interface WireResource {
  resource: string
  responseKind: WireKind
  scope: string
  singularResource: string
  verbs: string[]
  shortNames: string[]
  categories: string[]
  subresources: { subresource: string; responseKind: WireKind; verbs: string[] }[]
}

/** The accepted forms of the documents, the best first; servers that know none of the new ones send the last. */
export const DISCOVERY_ACCEPT = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',')

/** The groups of an aggregated document (KEP-3352). */
export function readAggregated(document: Wire<AggregatedDocument>): ApiGroup[] {
  return (document.items ?? []).flatMap((item) => {
    const name = item.metadata?.name ?? ''
    if (name !== '' && !isSegment(name)) return []
    const versions = (item.versions ?? []).flatMap((version) => readVersion(name, version))
    return [{ name, versions: usableFirst(versions) }]
  })
}

function readVersion(group: string, wire: Wire<WireVersion>): ApiVersion[] {
  const { version, freshness } = wire
  if (!isSegment(version)) return []
  const resources = (wire.resources ?? []).flatMap((resource) => readResource(group, version, resource))
  if (freshness !== 'Stale') return [{ version, resources }]
  return [{ version, resources, failure: 'its API server does not answer' }]
}

function readResource(group: string, version: string, wire: Wire<WireResource>): ApiResource[] {
  const { resource: plural, responseKind } = wire
  // Without a kind, it exists only for its subresources.
  if (!isSegment(plural) || !isSegment(responseKind?.kind)) return []
  const subresources = (wire.subresources ?? []).flatMap((subresource): ApiSubresource[] => {
    const { subresource: name, responseKind: of } = subresource
    if (!isSegment(name) || !isSegment(of?.kind)) return []
    const ownGroup = of.version === undefined || of.version === ''
    return [
      {
        name,
        group: ownGroup ? group : (of.group ?? ''),
        version: ownGroup ? version : (of.version ?? version),
        kind: of.kind,
        verbs: stringsOf(subresource.verbs),
      },
    ]
  })
  return [
    {
      group,
      version,
      kind: responseKind.kind,
      plural,
      scope: wire.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
      singular: wire.singularResource || responseKind.kind.toLowerCase(),
      shortNames: stringsOf(wire.shortNames),
      categories: stringsOf(wire.categories),
      verbs: stringsOf(wire.verbs),
      subresources: subresources.length === 0 ? NO_SUBRESOURCES : subresources,
    },
  ]
}
