import type { ObjectMeta } from '@orrery/kinds'
import type { LabelSelectorSpec } from '@orrery/kinds/values'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'
export const RBAC_VERSION = 'rbac.authorization.k8s.io/v1'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface Subject {
  readonly kind: string
  readonly name: string
  readonly apiGroup?: string
  readonly namespace?: string
}

export interface RoleRef {
  readonly apiGroup: string
  readonly kind: string
  readonly name: string
}

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelectorSpec[]
}

/** A Role, or a ClusterRole. */
export interface Role {
  readonly metadata: ObjectMeta
  readonly rules?: readonly PolicyRule[] | null
  readonly aggregationRule?: AggregationRule | null
}

/** A RoleBinding, or a ClusterRoleBinding. */
export interface Binding {
  readonly metadata: ObjectMeta
  readonly subjects?: readonly Subject[] | null
  readonly roleRef: RoleRef
}

/** Which part of the policy a change touched. `namespace` is empty for the cluster-wide kinds. */
export interface PolicyChange {
  readonly kind: 'Role' | 'ClusterRole' | 'RoleBinding' | 'ClusterRoleBinding'
  readonly namespace: string
  /** The object was not there before: nobody lost anything. */
  readonly isNew?: boolean
}

/** Where the policy is read from: the newest state of the four RBAC kinds. */
export interface RuleSource {
  role(namespace: string, name: string): Role | undefined
  clusterRole(name: string): Role | undefined
  roleBindings(namespace: string): Iterable<Binding>
  clusterRoleBindings(): Iterable<Binding>
  /** Calls back after every change of one of them. Returns the way to stop. */
  onChange(listener: (change: PolicyChange) => void): () => void
}
