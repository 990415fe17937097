import type { PolicyRule, RoleRef } from '@orrery/kinds/rbac'
import { notFound } from '@orrery/kinds/values'
import {
  type AccessRequest,
  type Authorizer,
  type Decision,
  type Identity,
  SYSTEM_MASTERS,
} from '../identity/identity.js'
import { type CompiledRole, CompiledRoles } from './compiled-roles.js'
import { describeGrant, type Grant, GrantIndex } from './grant-index.js'
import { type PolicyChange, RBAC_GROUP, type RuleSource } from './rbacobjects.js'

/** The grants of an identity, valid until the policy changes. */
interface Resolved {
  readonly generation: number
  readonly cluster: readonly Grant[]
  readonly namespaces: Map<string, readonly Grant[]>
}

const ALLOWED_MASTER: Decision = { allowed: true, reason: '' }
/**
 * The weight of the rules that a user can have by the RoleBindings of one namespace, about three of the largest Roles. Its
 * administrator can create any number, and every decision goes over all of them.
 */
const MAX_LOCAL_WEIGHT = 8 * 1024 * 1024
/** What a binding to a missing role weighs. */
const MISSING_WEIGHT = 256
/** The number of missing roles in a message. */
const MAX_MISSING = 10

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
  readonly #roles: CompiledRoles
  readonly #resolved = new WeakMap<Identity, Resolved>()
  readonly #lossListeners: ((namespace: string) => void)[] = []

  constructor(source: RuleSource) {
    this.#source = source
    this.#roles = new CompiledRoles(source)
    this.#stop = source.onChange((change) => this.#forget(change))
  }

  authorize(request: AccessRequest): Decision {
    if (request.identity.groups.includes(SYSTEM_MASTERS)) return ALLOWED_MASTER
    const problems = new Problems()
    let allowing: Grant | undefined
    this.#visitRoles(request.identity, request.namespace, problems, (grant, { matchers }) => {
      for (const matcher of matchers) {
        if (!matcher.allows(request)) continue
        allowing = grant
        return true
      }
      return false
    })
    if (allowing === undefined) return denied(problems.all)
    return { allowed: true, reason: `RBAC: allowed by ${describeGrant(allowing)}` }
  }

  /**
   * Returns every rule of a user in a namespace, with errors found on the way. An empty namespace means only
   * cluster-wide rules.
   */
  rulesFor(identity: Identity, namespace: string): { rules: PolicyRule[]; problems: string[] } {
    const rules: PolicyRule[] = []
    const problems = new Problems()
    this.#visitRoles(identity, namespace, problems, (_, { matchers }) => {
      for (const { rule } of matchers) rules.push(rule)
      return false
    })
    return { rules, problems: problems.all }
  }

  /** Returns the rules of the role of a binding in `namespace`; undefined if the role does not exist. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get({ roleRef, namespace })?.matchers.map(({ rule }) => rule)
  }

  onLoss(listener: (namespace: string) => void): void {
    this.#lossListeners.push(listener)
  }

  close(): void {
    this.#stop()
  }

  /** Visits the roles of a user, those of ClusterRoleBindings first, until `visit` returns true. */
  #visitRoles(identity: Identity, namespace: string, problems: Problems, visit: Visit): void {
    const resolved = this.#resolve(identity)
    if (this.#visit(resolved.cluster, Number.POSITIVE_INFINITY, problems, visit) || namespace === '') return
    this.#visit(this.#inNamespace(resolved, { identity, namespace }), MAX_LOCAL_WEIGHT, problems, visit)
  }

  #visit(grants: readonly Grant[], maxWeight: number, problems: Problems, visit: Visit): boolean {
    let left = maxWeight
    for (const grant of grants) {
      if (left < 0) {
        problems.tooLarge(grant.namespace)
        return false
      }
      const role = this.#roles.get(grant)
      if (role === undefined) problems.missing(grant.roleRef)
      else if (visit(grant, role)) return true
      left -= role?.weight ?? MISSING_WEIGHT
    }
    return false
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

  #forget(change: PolicyChange): void {
    const { kind, namespace, name, isNew } = change
    if (kind === 'ClusterRole' || kind === 'Role') this.#roles.forget(change)
    else {
      const index = this.#indexes.get(namespace)
      index?.replace(name, this.#source.binding(namespace, name))
      if (index?.isEmpty === true) this.#indexes.delete(namespace)
      this.#generation++
    }
    // New objects only add permissions.
    if (isNew !== true) for (const listener of this.#lossListeners) listener(namespace)
  }
}

/** Returns whether to stop. */
type Visit = (grant: Grant, role: CompiledRole) => boolean

/** The problems of a decision. There can be any number of bindings to missing roles. */
class Problems {
  readonly #missing: string[] = []
  #unnamed = 0
  #tooLarge: string | undefined

  missing(role: RoleRef): void {
    const problem = missingRole(role)
    if (this.#missing.includes(problem)) return
    if (this.#missing.length < MAX_MISSING) this.#missing.push(problem)
    else this.#unnamed++
  }

  tooLarge(namespace: string): void {
    const where = `namespace ${JSON.stringify(namespace)}`
    this.#tooLarge = `the roles of this user in ${where} are too large to apply all of them: bind fewer or smaller roles`
  }

  get all(): string[] {
    const more = this.#unnamed === 0 ? [] : [`and ${this.#unnamed} more`]
    return [...this.#missing, ...more, ...(this.#tooLarge === undefined ? [] : [this.#tooLarge])]
  }
}

function missingRole({ kind, name }: RoleRef): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${JSON.stringify(kind)}`
  return notFound({ group: RBAC_GROUP, resource: kind.toLowerCase() }, name).message
}

function denied(problems: readonly string[]): Decision {
  if (problems.length === 0) return { allowed: false, reason: '' }
  return { allowed: false, reason: `RBAC: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}` }
}
