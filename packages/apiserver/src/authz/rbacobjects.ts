import type { Draft } from '@orrery/kinds'
import type { ClusterRole, RoleBinding } from '@orrery/kinds/rbac'

export const RBAC_GROUP = 'rbac.authorization.k8s.io'
export const RBAC_VERSION = 'rbac.authorization.k8s.io/v1'

/** A Role or a ClusterRole, stored or about to be. */
export type AnyRole = Draft<ClusterRole>

/** A RoleBinding or a ClusterRoleBinding, stored or about to be. */
export type AnyBinding = Draft<RoleBinding>

/** Which part of the policy a change touched. `namespace` is empty for the cluster-wide kinds. */
export interface PolicyChange {
  readonly kind: 'Role' | 'ClusterRole' | 'RoleBinding' | 'ClusterRoleBinding'
  readonly namespace: string
  /** The object was not there before: nobody lost anything. */
  readonly isNew?: boolean
}

/** Where the policy is read from: the newest state of the four RBAC kinds. */
export interface RuleSource {
  role(namespace: string, name: string): AnyRole | undefined
  clusterRole(name: string): AnyRole | undefined
  roleBindings(namespace: string): Iterable<AnyBinding>
  clusterRoleBindings(): Iterable<AnyBinding>
  /** Calls back after every change of one of them. Returns the way to stop. */
  onChange(listener: (change: PolicyChange) => void): () => void
}
