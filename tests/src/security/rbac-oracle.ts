import type { Rule } from './cluster.js'

/** The requesting user, as in Kubernetes' documentation of authentication. */
export interface Subject {
  readonly username: string
  readonly groups: readonly string[]
}

/** The request attributes, as in Kubernetes' documentation of authorization. */
export interface Attributes {
  readonly verb: string
  readonly group: string
  /** `pods`, or `pods/log` for a subresource. */
  readonly resource: string
  /** Empty for the whole cluster. */
  readonly namespace: string
  readonly name: string
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

interface Role extends Named {
  readonly rules?: readonly Rule[]
}

interface Binding extends Named {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

/** The RBAC objects of a cluster. */
export interface Policy {
  readonly clusterRoles: readonly Role[]
  readonly roles: readonly Role[]
  readonly clusterRoleBindings: readonly Binding[]
  readonly roleBindings: readonly Binding[]
}

/**
 * Decides by RBAC's rules alone, object by object and without an index: a ClusterRoleBinding grants its role
 * everywhere, a RoleBinding grants its role within its namespace, and nothing else grants anything.
 */
export class RbacOracle {
  readonly #policy: Policy
  readonly #granted = new Map<string, readonly Rule[]>()

  constructor(policy: Policy) {
    this.#policy = policy
  }

  allows(subject: Subject, asked: Attributes): boolean {
    if (subject.groups.includes('system:masters')) return true
    return this.#rules(subject, asked.namespace).some((rule) => covers(rule, asked))
  }

  #rules(subject: Subject, namespace: string): readonly Rule[] {
    const key = JSON.stringify([subject.username, subject.groups, namespace])
    const known = this.#granted.get(key)
    if (known !== undefined) return known
    const { clusterRoleBindings, roleBindings, clusterRoles, roles } = this.#policy
    const bindings = [
      ...clusterRoleBindings,
      ...roleBindings.filter(({ metadata }) => namespace !== '' && metadata.namespace === namespace),
    ]
    const rules = bindings
      .filter((binding) => isBound(binding, subject))
      .flatMap(({ roleRef, metadata }) =>
        roleRef.kind === 'ClusterRole'
          ? clusterRoles.filter((role) => role.metadata.name === roleRef.name)
          : roles.filter(
              (role) => role.metadata.name === roleRef.name && role.metadata.namespace === metadata.namespace,
            ),
      )
      .flatMap((role) => role.rules ?? [])
    this.#granted.set(key, rules)
    return rules
  }
}

function isBound({ subjects = [], metadata }: Binding, { username, groups }: Subject): boolean {
  return subjects.some(({ kind, name, namespace = metadata.namespace }) => {
    if (kind === 'User') return name === username
    if (kind === 'Group') return groups.includes(name)
    return kind === 'ServiceAccount' && username === `system:serviceaccount:${namespace}:${name}`
  })
}

function covers(rule: Rule, { verb, group, resource, name }: Attributes): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule
  const subresource = resource.split('/')[1]
  return (
    (verbs.includes('*') || verbs.includes(verb)) &&
    (apiGroups.includes('*') || apiGroups.includes(group)) &&
    (resources.includes('*') ||
      resources.includes(resource) ||
      (subresource !== undefined && resources.includes(`*/${subresource}`))) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  )
}
