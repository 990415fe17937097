import type { PolicyRule, Subject } from '@orrery/kinds/rbac'
import type { AccessRequest, Identity } from '../identity/identity.js'
import { type AnyBinding, type AnyRole, type PolicyChange, RBAC_GROUP, type RuleSource } from './rbacobjects.js'

/** A policy in memory for tests. */
export class MemoryRules implements RuleSource {
  readonly #roles = new Map<string, AnyRole>()
  readonly #bindings = new Map<string, Map<string, AnyBinding>>()
  readonly #listeners = new Set<(change: PolicyChange) => void>()

  role(namespace: string, name: string): AnyRole | undefined {
    return this.#roles.get(`${namespace}/${name}`)
  }

  clusterRole(name: string): AnyRole | undefined {
    return this.#roles.get(`/${name}`)
  }

  bindings(namespace: string): Iterable<AnyBinding> {
    return this.#bindings.get(namespace)?.values() ?? []
  }

  binding(namespace: string, name: string): AnyBinding | undefined {
    return this.#bindings.get(namespace)?.get(name)
  }

  onChange(listener: (change: PolicyChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** An empty namespace creates a ClusterRole. */
  addRole(namespace: string, name: string, ...rules: PolicyRule[]): this {
    this.#roles.set(`${namespace}/${name}`, { metadata: { name, namespace }, rules })
    return this.#changed(namespace === '' ? 'ClusterRole' : 'Role', namespace, name)
  }

  removeRole(namespace: string, name: string): this {
    this.#roles.delete(`${namespace}/${name}`)
    return this.#changed(namespace === '' ? 'ClusterRole' : 'Role', namespace, name)
  }

  /** An empty namespace creates a ClusterRoleBinding. `role` is `Role/x` or `ClusterRole/x`. */
  bind(namespace: string, name: string, role: string, ...subjects: Subject[]): this {
    const [kind = '', roleName = ''] = role.split('/')
    const binding = { metadata: { name, namespace }, roleRef: { apiGroup: RBAC_GROUP, kind, name: roleName }, subjects }
    const bindings = this.#bindings.get(namespace) ?? new Map<string, AnyBinding>()
    this.#bindings.set(namespace, bindings.set(name, binding))
    return this.#changed(namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding', namespace, name)
  }

  unbind(namespace: string, name: string): this {
    this.#bindings.get(namespace)?.delete(name)
    return this.#changed(namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding', namespace, name)
  }

  #changed(kind: PolicyChange['kind'], namespace: string, name: string): this {
    for (const listener of this.#listeners) listener({ kind, namespace, name })
    return this
  }
}

export const user = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name })
export const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name })

export function identity(username: string, ...groups: string[]): Identity {
  return { username, uid: '', groups, extra: {} }
}

/** Returns the attributes of `get pods/log@apps in ns named x`. */
export function access(
  who: Identity,
  verb: string,
  resource: string,
  where: Partial<AccessRequest> = {},
): AccessRequest {
  const [name = '', subresource = ''] = resource.split('/')
  return {
    identity: who,
    verb,
    group: '',
    version: 'v1',
    resource: name,
    subresource,
    namespace: '',
    name: '',
    path: '',
    isResource: true,
    ...where,
  }
}

export function accessPath(who: Identity, verb: string, path: string): AccessRequest {
  return { ...access(who, verb, ''), path, isResource: false }
}
