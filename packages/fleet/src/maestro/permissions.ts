import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from '@orrery/kinds'
import { ensure, type KubeClient } from '@orrery/kube'

/** The service account of adapters, named as in HyperFleet. */
export const ADAPTER_ACCOUNT = { namespace: 'maestro', name: 'maestro-adapter-sa' }

const ADAPTER_ROLE = 'orrery:maestro-adapter'

/** Ensures the service account of adapters and its permissions: publish as any source, and read over REST. */
export async function ensureAdapterAccount(client: KubeClient): Promise<void> {
  await ensure(client, Namespace, { metadata: { name: ADAPTER_ACCOUNT.namespace } }, undefined)
  await ensure(client, ServiceAccount, { metadata: ADAPTER_ACCOUNT }, undefined)
  await ensure(
    client,
    ClusterRole,
    {
      metadata: { name: ADAPTER_ROLE },
      rules: [
        { nonResourceURLs: ['/sources/*'], verbs: ['pub', 'sub'] },
        // Without `/api`: see the access of the server.
        { nonResourceURLs: ['/maestro', '/maestro/*'], verbs: ['get'] },
      ],
    },
    undefined,
  )
  await ensure(
    client,
    ClusterRoleBinding,
    {
      metadata: { name: ADAPTER_ROLE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ADAPTER_ROLE },
      subjects: [{ kind: 'ServiceAccount', ...ADAPTER_ACCOUNT }],
    },
    undefined,
  )
}
