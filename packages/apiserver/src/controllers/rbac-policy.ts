import { keyOf } from '@orrery/kinds/values'
import { bootstrapPolicy, type PolicyKind, type PolicyObject } from '../authz/bootstrap/policy.js'
import { reconcile } from '../authz/bootstrap/reconcile.js'
import type { ResourceRef } from '../registry/internal.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { createIfMissing } from './ensure.js'

const group = 'rbac.authorization.k8s.io'
const RESOURCES: Readonly<Record<PolicyKind, ResourceRef>> = {
  ClusterRole: { group, resource: 'clusterroles' },
  ClusterRoleBinding: { group, resource: 'clusterrolebindings' },
  Role: { group, resource: 'roles' },
  RoleBinding: { group, resource: 'rolebindings' },
}

/** Reconciles the default roles and bindings at each start, all at once so that they share flushes. */
export function rbacPolicy(context: ControllerContext): Controller {
  const policy = new Map(bootstrapPolicy().map((object) => [keyOfPolicy(object), object]))
  return reconciler(context, {
    name: 'rbac-policy',
    wakes: {},
    first: () => policy.keys(),
    concurrency: policy.size,
    reconcile: (key) => restore(context, policy.get(key) as PolicyObject),
  })
}

function keyOfPolicy({ kind, metadata }: PolicyObject): string {
  return `${kind}/${keyOf({ namespace: metadata.namespace, name: metadata.name ?? '' })}`
}

async function restore({ client }: ControllerContext, expected: PolicyObject): Promise<void> {
  const ref = RESOURCES[expected.kind]
  const { namespace = '', name = '' } = expected.metadata
  const next = reconcile(expected, client.get(ref, namespace, name))
  switch (next.action) {
    case 'none':
      return
    case 'create':
      return createIfMissing(client, ref, structuredClone(expected))
    case 'recreate':
      await client.delete(ref, namespace, name)
      return createIfMissing(client, ref, structuredClone(expected))
    case 'update':
      await client.change(ref, namespace, name, (live) => {
        const again = reconcile(expected, live)
        return again.action === 'update' ? again.object : live
      })
  }
}
