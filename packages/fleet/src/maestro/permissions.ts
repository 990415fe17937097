import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from '@orrery/kinds'
import { ensure, type KubeClient } from '@orrery/kube'

/** The service account of adapters, named as in HyperFleet. */
const MAESTRO_NAMESPACE = 'maestro'
const ADAPTER_ACCOUNT = 'maestro-adapter-sa'

const ADAPTER_ROLE = 'orrery:maestro-adapter'

/** Ensures the service account of adapters, with permission to publish as any source and to read over REST. */
export async function ensureAdapterAccount(client: KubeClient): Promise<void> {
  const account = { namespace: MAESTRO_NAMESPACE, name: ADAPTER_ACCOUNT }
  await ensure(client, Namespace, { metadata: { name: MAESTRO_NAMESPACE } }, undefined)
  await ensure(client, ServiceAccount, { metadata: account }, undefined)
  await ensure(
    client,
    ClusterRole,
    {
      metadata: { name: ADAPTER_ROLE },
      rules: [
        { nonResourceURLs: ['/sources/*'], verbs: ['pub', 'sub'] },
        { nonResourceURLs: ['/api/maestro', '/api/maestro/*'], verbs: ['get'] },
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
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
    undefined,
  )
}
