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

/** A write of an RBAC object. */
export interface PolicyWrite<T> {
  readonly identity: Identity
  /** The namespace of the request; empty for cluster-scoped kinds. */
  readonly namespace: string
  /** The name in the URL: empty for a POST. */
  readonly requestName: string
  readonly object: T
  /** The existing object; undefined for a create. */
  readonly previous: T | undefined
}

/**
 * Prevents privilege escalation. A user who writes a role must have all of its rules or the `escalate` permission; a
 * user who writes a binding must have all rules of the role or the `bind` permission.
 */
export class EscalationGuard {
  readonly #rbac: RbacAuthorizer
  readonly #authorizer: Authorizer

  /** `authorizer` decides about `escalate` and `bind`; `rbac` provides the rules of a user. */
  constructor(rbac: RbacAuthorizer, authorizer: Authorizer = rbac) {
    this.#rbac = rbac
    this.#authorizer = authorizer
  }

  /** Throws a 403 if the user would grant missing permissions with this Role or ClusterRole. */
  async checkRole(resource: 'roles' | 'clusterroles', write: PolicyWrite<AnyRole>): Promise<void> {
    const { identity, namespace, requestName, object, previous } = write
    if (isMaster(identity) || (await this.#may('escalate', resource, requestName, write))) return
    if (previous !== undefined && onlyOwnershipChanged(object, previous)) return
    const on = { group: RBAC_GROUP, resource }
    const name = object.metadata.name ?? ''
    const problem = this.#escalation(identity, namespace, object.rules ?? [])
    if (problem !== undefined) throw forbidden(on, name, problem)
    // An aggregated role gets the rules of any role with a label, so only a user with all permissions may write one.
    if (!aggregates(object) && !(previous !== undefined && aggregates(previous))) return
    if (this.#escalation(identity, namespace, EVERYTHING) === undefined) return
    throw forbidden(on, name, 'must have cluster-admin privileges to use the aggregationRule')
  }

  /**
   * Throws a 403 if the user would grant missing permissions with this binding, and a 404 if its role does not exist.
   */
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

/** The garbage collector may always change owners and finalizers, which grants nothing. */
function onlyOwnershipChanged(object: AnyRole | AnyBinding, previous: AnyRole | AnyBinding): boolean {
  return isDeepStrictEqual(withoutOwnership(object), withoutOwnership(previous))
}

function withoutOwnership(object: AnyRole | AnyBinding): object {
  const { ownerReferences, finalizers, managedFields, resourceVersion, ...metadata } = object.metadata
  return { ...object, metadata }
}
