import { AGENT_SUBJECT_PREFIX, TOKEN_ADDON_NAME_LABEL, TOKEN_INFRASTRUCTURE_LABEL } from '@orrery/api'
import { type PolicyRule, Role } from '@orrery/kinds'

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

/** Grants that permission to the agent of the cluster. */
export function tokenRoleBinding(user: TokenUser) {
  const { namespace, name } = user
  const group = (subject: string) => ({ kind: 'Group', apiGroup: Role.group, name: subject })
  return {
    metadata: roleMetadata(user),
    // The second group is the one of agents that connect over gRPC.
    subjects: [group(`${AGENT_SUBJECT_PREFIX}${namespace}`), group(`open-cluster-management:${namespace}`)],
    roleRef: { apiGroup: Role.group, kind: 'Role', name: `${name}-token-role` },
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
