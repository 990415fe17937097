import type { KubeObject } from '@orrery/kinds'
import type { CredentialResource, FindObject } from './authn/credentials.js'
import type { Binding, PolicyChange, Role, RuleSource } from './authz/rbacobjects.js'
import type { Store } from './store/types.js'

const RBAC_BUCKETS: Readonly<Record<string, PolicyChange['kind']>> = {
  'roles.rbac.authorization.k8s.io': 'Role',
  'clusterroles.rbac.authorization.k8s.io': 'ClusterRole',
  'rolebindings.rbac.authorization.k8s.io': 'RoleBinding',
  'clusterrolebindings.rbac.authorization.k8s.io': 'ClusterRoleBinding',
}

/** The RBAC policy as it is stored. */
export function storedPolicy(store: Store): RuleSource {
  const one = (bucket: string, namespace: string, name: string) =>
    store.get(bucket, namespace, name)?.object() as unknown as Role | undefined
  const all = (bucket: string, namespace: string) =>
    store.page({ bucket, namespace }).entries.map((entry) => entry.object() as unknown as Binding)
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

/** Objects that credentials depend on, as they are stored. */
export function storedCredentials(store: Store): FindObject {
  return (resource, namespace, name): KubeObject | undefined => store.get(resource, namespace, name)?.object()
}

const CREDENTIAL_BUCKETS: ReadonlySet<string> = new Set<CredentialResource>([
  'serviceaccounts',
  'secrets',
  'pods',
  'nodes',
])

/** Calls back when an object that credentials can depend on was changed or deleted. Returns the way to stop. */
export function onCredentialChange(
  store: Store,
  forget: (resource: CredentialResource, namespace: string, name: string) => void,
): () => void {
  return store.subscribe((changes) => {
    for (const { entry, type } of changes) {
      if (type !== 'ADDED' && CREDENTIAL_BUCKETS.has(entry.bucket)) {
        forget(entry.bucket as CredentialResource, entry.namespace, entry.name)
      }
    }
  })
}
