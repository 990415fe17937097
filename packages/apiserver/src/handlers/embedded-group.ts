import type { Subresource, Verb } from '@orrery/kinds/tables'
import { noSuchPath } from '@orrery/kinds/values'
import type { Exchange } from '../http/exchange.js'
import type { Identity } from '../identity/identity.js'
import type { Resource } from '../kinds/resource.js'
import type { RequestTarget } from '../request/target.js'
import { noSuchMethod } from './method-refused.js'
import type { Endpoint } from './pipeline.js'
import { hasScopeOf } from './placement.js'

/** A resource of a group that the embedding program serves. */
export interface EmbeddedResource {
  readonly plural: string
  readonly singular?: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly Pick<Subresource, 'name' | 'kind' | 'verbs'>[]
}

/**
 * An API group served in-process, such as `metrics.k8s.io` or `subresources.kubevirt.io`. Its requests are
 * authenticated and authorized, and only for resources, scopes, subresources and verbs that the group lists. The group
 * is in discovery and has an APIService.
 */
export interface EmbeddedGroup {
  readonly group: string
  readonly version: string
  readonly resources: readonly EmbeddedResource[]
  serve(exchange: Exchange, target: RequestTarget, identity: Identity): void | Promise<void>
}

/** Returns the resources of an embedded group for discovery and OpenAPI. */
export function embeddedResources({ group, version, resources }: EmbeddedGroup): Resource[] {
  return resources.map((resource) => ({
    group,
    version,
    kind: resource.kind,
    listKind: `${resource.kind}List`,
    plural: resource.plural,
    singular: resource.singular ?? resource.kind.toLowerCase(),
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    namespaced: resource.namespaced,
    verbs: resource.verbs,
    schema: { type: 'struct', fields: new Map(), preserveUnknown: true, atomic: false, embedded: false },
    subresources: new Map((resource.subresources ?? []).map((sub) => [sub.name, { ...sub, group, version }])),
    storage: { bucket: '', version },
    columns: [],
    custom: true,
  }))
}

/** Forwards the requests that a group lists. Refuses the rest like kube-apiserver. */
export function embeddedEndpoint(embedded: EmbeddedGroup): Endpoint {
  const { group, version } = embedded
  const resources = new Map(embeddedResources(embedded).map((resource) => [resource.plural, resource]))
  return {
    matches: (target) => target.isResource && target.group === group && target.version === version,
    serve(exchange, target, identity) {
      checkListed(target, resources.get(target.resource), exchange.method)
      return embedded.serve(exchange, target, identity)
    },
  }
}

function checkListed(target: RequestTarget, resource: Resource | undefined, method: string): void {
  if (resource === undefined || !hasScopeOf(target, resource)) throw noSuchPath()
  const { subresource, name, verb } = target
  const verbs: readonly string[] | undefined =
    subresource === '' ? resource.verbs : resource.subresources.get(subresource)?.verbs
  if (verbs === undefined || (subresource !== '' && name === '')) throw noSuchPath()
  const isRead = verb !== 'watch' || method === 'GET'
  if (!isRead || !verbs.includes(verb)) throw noSuchMethod()
}
