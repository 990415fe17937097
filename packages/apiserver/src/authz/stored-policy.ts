import type { Store } from '../store/types.js'
import type { AnyBinding, AnyRole, PolicyChange, RuleSource } from './rbacobjects.js'

const RBAC_BUCKETS: Readonly<Record<string, PolicyChange['kind']>> = {
  'roles.rbac.authorization.k8s.io': 'Role',
  'clusterroles.rbac.authorization.k8s.io': 'ClusterRole',
  'rolebindings.rbac.authorization.k8s.io': 'RoleBinding',
  'clusterrolebindings.rbac.authorization.k8s.io': 'ClusterRoleBinding',
}

/** Returns the stored RBAC policy. */
export function storedPolicy(store: Store): RuleSource {
  const one = (bucket: string, namespace: string, name: string) =>
    store.get(bucket, namespace, name)?.object() as unknown as AnyRole | undefined
  const all = (bucket: string, namespace: string) =>
    store.page({ bucket, namespace }).entries.map((entry) => entry.object() as unknown as AnyBinding)
  return {
    role: (namespace, name) => one('roles.rbac.authorization.k8s.io', namespace, name),
    clusterRole: (name) => one('clusterroles.rbac.authorization.k8s.io', '', name),
    roleBindings: (namespace) => all('rolebindings.rbac.authorization.k8s.io', namespace),
    clusterRoleBindings: () => all('clusterrolebindings.rbac.authorization.k8s.io', ''),
    onChange: (listener) =>
      store.subscribe((changes) => {
        for (const { entry, type } of changes) {
          const kind = Object.hasOwn(RBAC_BUCKETS, entry.bucket) ? RBAC_BUCKETS[entry.bucket] : undefined
          if (kind !== undefined) listener({ kind, namespace: entry.namespace, isNew: type === 'ADDED' })
        }
      }),
  }
}
