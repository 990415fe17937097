import { ClusterRole, ClusterRoleBinding, Namespace, Role, RoleBinding, ServiceAccount } from '@orrery/kinds'
import { ensure, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { ensureCrds } from '@orrery/kube/write'
import { ovimCrds } from '../../kinds/crds.js'
import { MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { NAMESPACE_RULES, ROLES, SERVICE_RULES } from '../organizations/roles.js'

/** The service account and the ClusterRole of a hub service that runs in the cluster. */
export const OVIM_SERVICE_ACCOUNT = 'ovim-hub'
const SERVICE_ROLE = 'ovim:hub'
const FIELD_MANAGER = 'ovim-install'

/**
 * Installs OVIM on a hub: CRDs, the namespace ovim-system, roles, and the permissions of the hub service. It can be repeated at any
 * time: objects that are up to date are not written again.
 */
export async function installOvim(client: KubeClient, options: CallOptions = {}): Promise<void> {
  await ensureCrds(client, ovimCrds(), { ...options, fieldManager: FIELD_MANAGER })
  const write = { ...options, fieldManager: FIELD_MANAGER }
  const labels = { [MANAGED_BY_LABEL]: 'ovim' }
  const namespace = { name: SYSTEM_NAMESPACE }
  await ensure(
    client,
    Namespace,
    { metadata: { ...namespace, labels } },
    await client.find(Namespace, namespace, options),
    write,
  )
  const roles = { ...ROLES, [SERVICE_ROLE]: SERVICE_RULES }
  await Promise.all(
    Object.entries(roles).map(async ([name, rules]) => {
      const current = await client.find(ClusterRole, { name }, options)
      await ensure(client, ClusterRole, { metadata: { name, labels }, rules: [...rules] }, current, write)
    }),
  )
  const account = { namespace: SYSTEM_NAMESPACE, name: OVIM_SERVICE_ACCOUNT }
  await ensure(
    client,
    ServiceAccount,
    { metadata: { ...account, labels } },
    await client.find(ServiceAccount, account, options),
    write,
  )
  const binding = {
    metadata: { name: SERVICE_ROLE, labels },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: SERVICE_ROLE },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  }
  await ensure(
    client,
    ClusterRoleBinding,
    binding,
    await client.find(ClusterRoleBinding, { name: SERVICE_ROLE }, options),
    write,
  )
  for (const [inNamespace, rules] of Object.entries(NAMESPACE_RULES)) {
    const ref = { namespace: inNamespace, name: SERVICE_ROLE }
    const role = { metadata: { ...ref, labels }, rules: [...rules] }
    await ensure(client, Role, role, await client.find(Role, ref, options), write)
    const roleBinding = {
      metadata: { ...ref, labels },
      roleRef: { apiGroup: ClusterRole.group, kind: 'Role', name: SERVICE_ROLE },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    }
    await ensure(client, RoleBinding, roleBinding, await client.find(RoleBinding, ref, options), write)
  }
}
