import { isDeepStrictEqual } from 'node:util'
import type { PolicyRule } from '@orrery/kinds/rbac'
import { forbidden, notFound } from '@orrery/kinds/values'
import { type AccessRequest, type Authorizer, type Identity, SYSTEM_MASTERS } from '../identity/identity.js'
import { describeRules, quoteList, uncoveredRules } from './covers.js'
import type { RbacAuthorizer } from './rbac.js'
import { type AnyBinding, type AnyRole, RBAC_GROUP } from './rbacobjects.js'

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

/** A write of an RBAC object, as its checks need to know it. */
export interface PolicyWrite<T> {
  readonly identity: Identity
  /** Of the request; empty for the cluster-wide kinds. */
  readonly namespace: string
  /** Of the request's URL: empty for a POST. */
  readonly requestName: string
  readonly object: T
  /** What is there now; undefined on creation. */
  readonly previous: T | undefined
}

/**
 * Nobody may hand out more than they hold. Whoever writes a role must hold all of its rules or be allowed to `escalate`;
 * whoever writes a binding must hold all rules of the role or be allowed to `bind` it.
 */
export class EscalationGuard {
  readonly #rbac: RbacAuthorizer
  readonly #authorizer: Authorizer

  /** `authorizer` is asked about `escalate` and `bind`; `rbac` knows who holds what. */
  constructor(rbac: RbacAuthorizer, authorizer: Authorizer = rbac) {
    this.#rbac = rbac
    this.#authorizer = authorizer
  }

  /** Throws 403 when the writer would gain or give rights by this Role or ClusterRole. */
  async checkRole(resource: 'roles' | 'clusterroles', write: PolicyWrite<AnyRole>): Promise<void> {
    const { identity, namespace, requestName, object, previous } = write
    if (isMaster(identity) || (await this.#may('escalate', resource, requestName, write))) return
    if (previous !== undefined && onlyOwnershipChanged(object, previous)) return
    const on = { group: RBAC_GROUP, resource }
    const name = object.metadata.name ?? ''
    const problem = this.#escalation(identity, namespace, object.rules ?? [])
    if (problem !== undefined) throw forbidden(on, name, problem)
    // An aggregated role gathers whatever carries a label, so only somebody who holds everything may shape one.
    if (!aggregates(object) && !(previous !== undefined && aggregates(previous))) return
    if (this.#escalation(identity, namespace, EVERYTHING) === undefined) return
    throw forbidden(on, name, 'must have cluster-admin privileges to use the aggregationRule')
  }

  /** Throws 403 when the writer would give rights it lacks by this binding, 404 when the role to judge by is missing. */
  async checkBinding(resource: 'rolebindings' | 'clusterrolebindings', write: PolicyWrite<AnyBinding>): Promise<void> {
    const { identity, namespace, object, previous } = write
    if (isMaster(identity)) return
    if (previous !== undefined && onlyOwnershipChanged(object, previous)) return
    const { roleRef } = object
    const roles = roleRef.kind === 'ClusterRole' ? 'clusterroles' : 'roles'
    if (await this.#may('bind', roles, roleRef.name, write)) return
    const rules = this.#rbac.rulesOf(roleRef, namespace)
    if (rules === undefined) throw notFound({ group: RBAC_GROUP, resource }, roleRef.name)
    const problem = this.#escalation(identity, namespace, rules)
    if (problem !== undefined) throw forbidden({ group: RBAC_GROUP, resource }, object.metadata.name ?? '', problem)
  }

  async #may(verb: string, resource: string, name: string, write: PolicyWrite<unknown>): Promise<boolean> {
    const request: AccessRequest = {
      identity: write.identity,
      verb,
      group: RBAC_GROUP,
      version: '*',
      resource,
      subresource: '',
      namespace: write.namespace,
      name,
      path: '',
      isResource: true,
    }
    return (await this.#authorizer.authorize(request)).allowed
  }

  #escalation(identity: Identity, namespace: string, wanted: readonly PolicyRule[]): string | undefined {
    const { rules, problems } = this.#rbac.rulesFor(identity, namespace)
    const uncovered = uncoveredRules(rules, wanted)
    if (uncovered.length === 0) return undefined
    const who = `user ${JSON.stringify(identity.username)} (groups=${quoteList(identity.groups)})`
    const message = `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(uncovered)}`
    return problems.length === 0 ? message : `${message}; resolution errors: [${problems.join(', ')}]`
  }
}

function isMaster(identity: Identity): boolean {
  return identity.groups.includes(SYSTEM_MASTERS)
}

function aggregates({ aggregationRule }: AnyRole): boolean {
  return (aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0
}

/** The garbage collector may always settle owners and finalizers: that hands out nothing. */
function onlyOwnershipChanged(object: AnyRole | AnyBinding, previous: AnyRole | AnyBinding): boolean {
  return isDeepStrictEqual(withoutOwnership(object), withoutOwnership(previous))
}

function withoutOwnership(object: AnyRole | AnyBinding): object {
  const { ownerReferences, finalizers, managedFields, resourceVersion, ...metadata } = object.metadata
  return { ...object, metadata }
}
