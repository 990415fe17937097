import { TOKEN_ADDON_NAME_LABEL, TOKEN_INFRASTRUCTURE_LABEL } from '@orrery/api'
import { type PolicyRule, Role, type Subject } from '@orrery/kinds'

/** An add-on of a cluster, and the labels of all objects that the hub creates for clusters. */
interface TokenUser {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** The service account whose tokens the agent of an add-on has. */
export function tokenServiceAccount(user: TokenUser) {
  return { metadata: { namespace: user.namespace, name: `${user.name}-agent`, labels: labelsOf(user) } }
}

/** The permission to request tokens of that account, and to receive them over gRPC. */
export function tokenRole(user: TokenUser) {
  return { metadata: roleMetadata(user), rules: tokenRules(user.name) }
}

/**
 * Grants that permission to the registered agent of the cluster. Open Cluster Management grants it to the group of all agents that the
 * cluster ever had.
 */
export function tokenRoleBinding(user: TokenUser, agent: readonly Subject[]) {
  return {
    metadata: roleMetadata(user),
    subjects: [...agent],
    roleRef: { apiGroup: Role.group, kind: 'Role', name: `${user.name}-token-role` },
  }
}

function tokenRules(name: string): PolicyRule[] {
  const tokens = { apiGroups: [''], resources: ['serviceaccounts/token'] }
  return [
    { ...tokens, resourceNames: [`${name}-agent`], verbs: ['create'] },
    { ...tokens, verbs: ['subscribe'] },
  ]
}

function roleMetadata(user: TokenUser) {
  return { namespace: user.namespace, name: `${user.name}-token-role`, labels: labelsOf(user) }
}

function labelsOf({ name, labels }: TokenUser): Record<string, string> {
  return { ...labels, [TOKEN_ADDON_NAME_LABEL]: name, [TOKEN_INFRASTRUCTURE_LABEL]: 'true' }
}
