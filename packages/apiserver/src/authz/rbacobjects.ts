import type { Draft } from '@orrery/kinds'
import type { ClusterRole, RoleBinding } from '@orrery/kinds/rbac'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'
export const RBAC_VERSION = 'rbac.authorization.k8s.io/v1'

/** A Role or a ClusterRole, stored or about to be. */
export type AnyRole = Draft<ClusterRole>

/** A RoleBinding or a ClusterRoleBinding, stored or about to be. */
export type AnyBinding = Draft<RoleBinding>

/** A change of the policy. `namespace` is empty for cluster-scoped kinds. */
export interface PolicyChange {
  readonly kind: 'Role' | 'ClusterRole' | 'RoleBinding' | 'ClusterRoleBinding'
  readonly namespace: string
  readonly name: string
  /** Whether the object is new: no subject lost permissions. */
  readonly isNew?: boolean
}

/** The source of the policy: the newest state of the four RBAC kinds. */
export interface RuleSource {
  role(namespace: string, name: string): AnyRole | undefined
  clusterRole(name: string): AnyRole | undefined
  /** An empty namespace is that of ClusterRoleBindings. */
  bindings(namespace: string): Iterable<AnyBinding>
  binding(namespace: string, name: string): AnyBinding | undefined
  /** Calls back after every change. Returns a function that stops it. */
  onChange(listener: (change: PolicyChange) => void): () => void
}
