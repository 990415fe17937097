import type { Store } from '../store/types.js'
import type { AnyBinding, AnyRole, PolicyChange, RuleSource } from './rbacobjects.js'

const RBAC_BUCKETS: Readonly<Record<string, PolicyChange['kind']>> = {
  'roles.rbac.authorization.k8s.io': 'Role',
  'clusterroles.rbac.authorization.k8s.io': 'ClusterRole',
  'rolebindings.rbac.authorization.k8s.io': 'RoleBinding',
  'clusterrolebindings.rbac.authorization.k8s.io': 'ClusterRoleBinding',
}

function bindingsIn(namespace: string): string {
  return namespace === '' ? 'clusterrolebindings.rbac.authorization.k8s.io' : 'rolebindings.rbac.authorization.k8s.io'
}

/** Returns the stored RBAC policy. */
export function storedPolicy(store: Store): RuleSource {
  const one = (bucket: string, namespace: string, name: string) => store.get(bucket, namespace, name)?.object()
  return {
    role: (namespace, name) => one('roles.rbac.authorization.k8s.io', namespace, name) as AnyRole | undefined,
    clusterRole: (name) => one('clusterroles.rbac.authorization.k8s.io', '', name) as AnyRole | undefined,
    *bindings(namespace) {
      for (const entry of store.page({ bucket: bindingsIn(namespace), namespace }).entries) {
        yield entry.object() as unknown as AnyBinding
      }
    },
    binding: (namespace, name) => one(bindingsIn(namespace), namespace, name) as unknown as AnyBinding | undefined,
    onChange: (listener) =>
      store.subscribe((changes) => {
        for (const { entry, type } of changes) {
          const kind = Object.hasOwn(RBAC_BUCKETS, entry.bucket) ? RBAC_BUCKETS[entry.bucket] : undefined
          if (kind !== undefined)
            listener({ kind, namespace: entry.namespace, name: entry.name, isNew: type === 'ADDED' })
        }
      }),
  }
}
