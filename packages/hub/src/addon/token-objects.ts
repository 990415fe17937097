import { AGENT_SUBJECT_PREFIX, TOKEN_ADDON_NAME_LABEL, TOKEN_INFRASTRUCTURE_LABEL } from '@orrery/api'
import { type PolicyRule, Role } from '@orrery/kinds'

interface AddOnRef {
  readonly namespace: string
  readonly name: string
}

/** The service account whose tokens the agent of an add-on has. */
export function tokenServiceAccount({ namespace, name }: AddOnRef) {
  return { metadata: { namespace, name: `${name}-agent`, labels: labelsOf(name) } }
}

/** The permission to request tokens of that account, and to receive them over gRPC. */
export function tokenRole({ namespace, name }: AddOnRef) {
  return { metadata: { namespace, name: `${name}-token-role`, labels: labelsOf(name) }, rules: tokenRules(name) }
}

/** Grants that permission to the agent of the cluster. */
export function tokenRoleBinding({ namespace, name }: AddOnRef) {
  const group = (subject: string) => ({ kind: 'Group', apiGroup: Role.group, name: subject })
  return {
    metadata: { namespace, name: `${name}-token-role`, labels: labelsOf(name) },
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

function labelsOf(name: string): Record<string, string> {
  return { [TOKEN_ADDON_NAME_LABEL]: name, [TOKEN_INFRASTRUCTURE_LABEL]: 'true' }
}
