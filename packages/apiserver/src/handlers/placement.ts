import type { Resource } from '../kinds/resource.js'
import type { RequestTarget } from '../request/target.js'

type Placed = Pick<Resource, 'group' | 'plural' | 'namespaced'>

/** The subresource with a path of its own: `services/<name>/proxy/<path…>`. */
const TAKES_PATH = 'proxy'

/** Returns whether kube-apiserver has a route for this path of a stored resource. */
export function isRouted(target: RequestTarget, resource: Placed & Pick<Resource, 'custom' | 'verbs'>): boolean {
  const { name, namespace, subresource, rest, verb } = target
  if (verb === 'proxy' && !resource.custom) return false
  if (rest !== '' && subresource !== TAKES_PATH) return false
  if (name === '' && subresource !== '') return false
  // Across namespaces only lists are served.
  if (resource.namespaced && namespace === '' && !resource.verbs.includes('list')) return false
  return hasScopeOf(target, resource)
}

/**
 * Returns whether a path has the scope of its resource. Requests are authorized for the namespace in their path before
 * the resource is known, so a cluster-scoped object below a namespace would be accessible with every role of that
 * namespace. Only a Namespace has itself as the namespace of its path.
 */
export function hasScopeOf(target: RequestTarget, { group, plural, namespaced }: Placed): boolean {
  if (namespaced) return target.namespace !== '' || target.name === ''
  if (group === '' && plural === 'namespaces') return !target.isBelowNamespace
  return target.namespace === ''
}
