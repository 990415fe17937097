import type { Verb } from '@orrery/kinds/tables'
import { noSuchPath } from '@orrery/kinds/values'
import { issueToken, type TokenIssuerOptions } from '../../authn/token-request.js'
import type { Catalog } from '../../registry/catalog.js'
import type { Registry } from '../../registry/registry.js'
import type { ScaleMapping } from '../../registry/scale-mapping.js'
import { methodRefused, noSuchSubresource } from '../method-refused.js'
import { sendObject } from '../reply.js'
import type { ResourceCall, ResourceHandler } from '../resource.js'
import { bindPod } from './binding.js'
import { type Connector, connect } from './connect.js'
import { evictPod } from './eviction.js'
import { approval, ephemeralContainers, finalize, narrowedProjection, resize } from './narrowed.js'
import { serveProjection } from './projection.js'
import { type ReviewParts, reviewOf, serveReview } from './reviews.js'
import { builtinScale, scaleProjection } from './scale.js'
import { readTyped } from './typed-body.js'

export interface SubresourceParts extends ReviewParts {
  readonly registry: Registry
  readonly catalog: Catalog
  readonly resources: ResourceHandler
  readonly tokens: TokenIssuerOptions
  /** By `<resource>/<subresource>`. */
  readonly connectors: ReadonlyMap<string, Connector>
  /** Returns the scale mapping of a custom resource. */
  readonly customScale: (call: ResourceCall) => ScaleMapping | undefined
}

const NARROWED = {
  'namespaces/finalize': finalize,
  'certificatesigningrequests/approval': approval,
  'pods/ephemeralcontainers': ephemeralContainers,
  'pods/resize': resize,
}
const CONNECTED = new Set(['log', 'exec', 'attach', 'portforward', 'proxy'])

/** Dispatches a resource request: to the common verbs, a subresource or a review. */
export function serveResource(call: ResourceCall, parts: SubresourceParts): void | Promise<void> {
  const { target, logic } = call
  const { resource } = logic
  if (call.exchange.method === 'HEAD' && !resource.custom) throw methodRefused(call)
  const review = reviewOf(resource.storage.bucket)
  if (review !== undefined) {
    if (target.verb !== 'create' || target.name !== '') throw methodRefused(call)
    return serveReview(review, call, parts)
  }
  if (resource.plural === 'bindings' && resource.group === '') return serveBindings(call, parts)
  if (target.subresource === '' || target.subresource === 'status') return parts.resources.serve(call)
  const subresource = resource.subresources.get(target.subresource)
  if (subresource === undefined) throw noSuchSubresource(call)
  if (!subresource.verbs.includes(target.verb as Verb)) throw methodRefused(call)
  if (CONNECTED.has(target.subresource)) {
    return connect(parts.registry, call, parts.connectors.get(`${resource.plural}/${target.subresource}`))
  }
  return serveOther(call, parts)
}

function serveOther(call: ResourceCall, parts: SubresourceParts): Promise<void> {
  const { registry } = parts
  const { resource } = call.logic
  const path = `${resource.plural}/${call.target.subresource}`
  if (!resource.custom && Object.hasOwn(NARROWED, path)) {
    return serveProjection(registry, call, narrowedProjection(call.logic, NARROWED[path as keyof typeof NARROWED]))
  }
  switch (call.target.subresource) {
    case 'scale': {
      const mapping = resource.custom ? parts.customScale(call) : builtinScale
      if (mapping === undefined) throw noSuchSubresource(call)
      return serveProjection(registry, call, scaleProjection(call.logic, mapping))
    }
    case 'token':
      return serveToken(call, parts)
    case 'binding':
      return bindPod(registry, call, call.logic)
    case 'eviction':
      return evictPod(registry, call)
    default:
      throw noSuchPath()
  }
}

async function serveToken(call: ResourceCall, { tokens, clock }: SubresourceParts): Promise<void> {
  const request = await readTyped(call, 'authentication.k8s.io', 'v1', 'TokenRequest')
  const issued = issueToken({ namespace: call.namespace, name: call.target.name }, request, clock.now(), tokens)
  call.warnings.push(...issued.warnings)
  call.annotations['authentication.kubernetes.io/issued-credential-id'] = issued.credentialId
  await sendObject(call.exchange, 201, issued.object)
}

/** The older way to bind a pod: POST a Binding that names it. */
function serveBindings(call: ResourceCall, parts: SubresourceParts): Promise<void> {
  if (call.target.verb !== 'create' || call.target.name !== '') throw methodRefused(call)
  const pods = parts.catalog.lookup('', 'v1', 'pods')
  if (pods === undefined) throw noSuchPath()
  return bindPod(parts.registry, call, pods)
}
