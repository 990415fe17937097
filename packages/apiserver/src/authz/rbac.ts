import type { PolicyRule, RoleRef } from '@orrery/kinds/rbac'
import { notFound } from '@orrery/kinds/values'
import {
  type AccessRequest,
  type Authorizer,
  type Decision,
  type Identity,
  SYSTEM_MASTERS,
} from '../identity/identity.js'
import { describeGrant, type Grant, GrantIndex } from './grant-index.js'
import { type AnyRole, type PolicyChange, RBAC_GROUP, type RuleSource } from './rbacobjects.js'
import { RuleMatcher } from './rule-matcher.js'

/** The grants of an identity, valid until the policy changes. */
interface Resolved {
  readonly generation: number
  readonly cluster: readonly Grant[]
  readonly namespaces: Map<string, readonly Grant[]>
}

const ALLOWED_MASTER: Decision = { allowed: true, reason: '' }

/**
 * The RBAC authorizer. Bindings are indexed by subject, and the grants of an identity are cached until the policy
 * changes, so a decision costs as much as the rules of its user.
 */
export class RbacAuthorizer implements Authorizer {
  readonly #source: RuleSource
  readonly #stop: () => void
  #generation = 0
  /** By namespace; that of ClusterRoleBindings is empty. */
  readonly #indexes = new Map<string, GrantIndex>()
  readonly #clusterRoles = new Map<string, readonly RuleMatcher[]>()
  readonly #roles = new Map<string, Map<string, readonly RuleMatcher[]>>()
  readonly #resolved = new WeakMap<Identity, Resolved>()
  readonly #lossListeners: (() => void)[] = []

  constructor(source: RuleSource) {
    this.#source = source
    this.#stop = source.onChange((change) => this.#forget(change))
  }

  authorize(request: AccessRequest): Decision {
    if (request.identity.groups.includes(SYSTEM_MASTERS)) return ALLOWED_MASTER
    const missing: string[] = []
    const resolved = this.#resolve(request.identity)
    return (
      this.#firstAllowing(resolved.cluster, request, missing) ??
      (request.namespace === ''
        ? undefined
        : this.#firstAllowing(this.#inNamespace(resolved, request), request, missing)) ??
      denied(missing)
    )
  }

  /**
   * Returns every rule of a user in a namespace, with errors found on the way. An empty namespace means only
   * cluster-wide rules.
   */
  rulesFor(identity: Identity, namespace: string): { rules: PolicyRule[]; problems: string[] } {
    const resolved = this.#resolve(identity)
    const rules: PolicyRule[] = []
    const problems: string[] = []
    const local = namespace === '' ? [] : this.#inNamespace(resolved, { identity, namespace })
    for (const grant of [...resolved.cluster, ...local]) {
      const matchers = this.#rulesOf(grant)
      if (matchers === undefined) problems.push(missingRole(grant.roleRef))
      else rules.push(...matchers.map(({ rule }) => rule))
    }
    return { rules, problems }
  }

  /** Returns the rules of the role of a binding in `namespace`; undefined if the role does not exist. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#rulesOf({ roleRef, namespace })?.map(({ rule }) => rule)
  }

  onLoss(listener: () => void): void {
    this.#lossListeners.push(listener)
  }

  close(): void {
    this.#stop()
  }

  #firstAllowing(grants: readonly Grant[], request: AccessRequest, missing: string[]): Decision | undefined {
    for (const grant of grants) {
      const matchers = this.#rulesOf(grant)
      if (matchers === undefined) {
        missing.push(missingRole(grant.roleRef))
        continue
      }
      for (const matcher of matchers) {
        if (matcher.allows(request)) return { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant)}` }
      }
    }
    return undefined
  }

  #resolve(identity: Identity): Resolved {
    const known = this.#resolved.get(identity)
    if (known?.generation === this.#generation) return known
    const cluster = this.#indexOf('').grantsOf(identity)
    const resolved = { generation: this.#generation, cluster, namespaces: new Map() }
    this.#resolved.set(identity, resolved)
    return resolved
  }

  #inNamespace(
    { namespaces }: Resolved,
    { identity, namespace }: { identity: Identity; namespace: string },
  ): readonly Grant[] {
    const known = namespaces.get(namespace)
    if (known !== undefined) return known
    const index = this.#indexOf(namespace)
    const grants = index.grantsOf(identity)
    if (!index.isEmpty) namespaces.set(namespace, grants)
    return grants
  }

  #indexOf(namespace: string): GrantIndex {
    const known = this.#indexes.get(namespace)
    if (known !== undefined) return known
    const index = new GrantIndex(namespace, this.#source.bindings(namespace))
    // An empty index is cheap to rebuild, and users can request namespaces that do not exist.
    if (!index.isEmpty) this.#indexes.set(namespace, index)
    return index
  }

  /** Missing roles are not cached: a request can name any number of them. */
  #rulesOf({ roleRef, namespace }: { roleRef: RoleRef; namespace: string }): readonly RuleMatcher[] | undefined {
    if (roleRef.kind === 'ClusterRole') {
      const known = this.#clusterRoles.get(roleRef.name)
      if (known !== undefined) return known
      const matchers = matchersOf(this.#source.clusterRole(roleRef.name))
      if (matchers !== undefined) this.#clusterRoles.set(roleRef.name, matchers)
      return matchers
    }
    if (roleRef.kind !== 'Role' || namespace === '') return undefined
    const roles = this.#roles.get(namespace)
    const known = roles?.get(roleRef.name)
    if (known !== undefined) return known
    const matchers = matchersOf(this.#source.role(namespace, roleRef.name))
    if (matchers === undefined) return undefined
    if (roles === undefined) this.#roles.set(namespace, new Map([[roleRef.name, matchers]]))
    else roles.set(roleRef.name, matchers)
    return matchers
  }

  #forget({ kind, namespace, name, isNew }: PolicyChange): void {
    if (kind === 'ClusterRole') this.#clusterRoles.clear()
    else if (kind === 'Role') this.#roles.delete(namespace)
    else {
      const index = this.#indexes.get(namespace)
      index?.replace(name, this.#source.binding(namespace, name))
      if (index?.isEmpty === true) this.#indexes.delete(namespace)
      this.#generation++
    }
    // New objects only add permissions.
    if (isNew !== true) for (const listener of this.#lossListeners) listener()
  }
}

function matchersOf(role: AnyRole | undefined): readonly RuleMatcher[] | undefined {
  return role && (role.rules ?? []).map((rule) => new RuleMatcher(rule))
}

function missingRole({ kind, name }: RoleRef): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${JSON.stringify(kind)}`
  return notFound({ group: RBAC_GROUP, resource: kind.toLowerCase() }, name).message
}

function denied(missing: readonly string[]): Decision {
  const problems = [...new Set(missing)]
  if (problems.length === 0) return { allowed: false, reason: '' }
  return { allowed: false, reason: `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}` }
}
