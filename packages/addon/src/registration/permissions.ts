import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, type PolicyRule, Role, RoleBinding, type Subject } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import { type KubeClient, ownerReferenceTo } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { refOfObject } from '@orrery/kube/write'
import type { RegistrationOptions } from '../agent-addon.js'
import { applyAccess } from './apply-access.js'
import { type GrantScope, groupSubject, registeredSubjects, userSubject } from './subjects.js'

/** Grants permissions on the hub to the agent of an add-on: a value for `permissions` of its registration. */
export type Grant = NonNullable<RegistrationOptions['permissions']>

/** A role: its permissions, and the name of the role and its binding. */
export interface GrantedRole {
  readonly name: string
  readonly rules: readonly PolicyRule[]
}

/**
 * Who gets a role. `agent` is the user and the groups of the agent in `status.registrations`, which works with certificates and
 * tokens: use it unless others than the agent need the role.
 */
export type Grantee = 'agent' | { readonly user: string } | { readonly group: string }

/** Several grants, one after the other. */
export function grants(...all: readonly Grant[]): Grant {
  return async (cluster, addon, context) => {
    for (const grant of all) await grant(cluster, addon, context)
  }
}

/** Grants permissions in the namespace of the cluster, with a Role that is deleted with the add-on. */
export function grantRole(role: GrantedRole, to: Grantee = 'agent'): Grant {
  return async (cluster, addon, context) => {
    const metadata = ofCluster(role.name, cluster, addon)
    await applyAccess(context, Role, { metadata, rules: [...role.rules] })
    const roleRef = { apiGroup: ClusterRole.group, kind: 'Role', name: role.name }
    await applyAccess(context, RoleBinding, { metadata, roleRef, subjects: subjectsFor(to, addon, 'cluster') })
  }
}

/** Grants the permissions of an existing ClusterRole in the namespace of the cluster. */
export function grantInNamespace(clusterRoleName: string, to: Grantee = 'agent'): Grant {
  return async (cluster, addon, context) => {
    const roleRef = { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: clusterRoleName }
    const metadata = ofCluster(clusterRoleName, cluster, addon)
    await applyAccess(context, RoleBinding, { metadata, roleRef, subjects: subjectsFor(to, addon, 'cluster') })
  }
}

/**
 * Grants permissions on the whole hub, with a ClusterRole. The binding of an agent is deleted with its add-on; the ClusterRole,
 * which all clusters share, stays.
 */
export function grantClusterRole(role: GrantedRole, to: Grantee = 'agent'): Grant {
  return async (cluster, addon, context) => {
    await applyAccess(context, ClusterRole, { metadata: { name: role.name }, rules: [...role.rules] })
    const roleRef = { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role.name }
    // Each agent has a binding of its own. With the group of all agents, it could not be revoked for one cluster.
    const subjects = subjectsFor(to, addon, 'cluster')
    await applyAccess(context, ClusterRoleBinding, {
      metadata: bindingMetadata(role.name, to, cluster, addon),
      roleRef,
      subjects,
    })
  }
}

/** Revokes what was granted to an agent in the namespace of its cluster, and with `grantClusterRole`. The roles stay. */
export async function revokeAll(
  client: KubeClient,
  { metadata: { namespace, name, uid } }: ManagedClusterAddOn,
  options: CallOptions,
): Promise<void> {
  const { items } = await client.list(RoleBinding, { namespace, ...options })
  const own = items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
  for (const binding of own) await client.ensureDeleted(RoleBinding, refOfObject(binding), options)
  await revokeClusterRoles(client, { namespace, name }, options)
}

/** Revokes what `grantClusterRole` granted to an agent. Everything else is deleted with the add-on by its owner reference. */
export async function revokeClusterRoles(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  options: CallOptions,
): Promise<void> {
  const labelSelector = `${ADDON_NAME_LABEL}=${name},${CLUSTER_NAME_LABEL}=${namespace}`
  try {
    const { items } = await client.list(ClusterRoleBinding, { labelSelector, ...options })
    for (const binding of items) await client.ensureDeleted(ClusterRoleBinding, refOfObject(binding), options)
  } catch (error) {
    // A controller that may not read them has not granted any.
    if (!isForbidden(error)) throw error
  }
}

function subjectsFor(to: Grantee, addon: ManagedClusterAddOn, scope: GrantScope): Subject[] {
  if (to === 'agent') return registeredSubjects(addon, scope)
  return ['user' in to ? userSubject(to.user) : groupSubject(to.group)]
}

/** In the namespace of the cluster, and deleted with the add-on. */
function ofCluster(name: string, cluster: ManagedCluster, addon: ManagedClusterAddOn) {
  return {
    namespace: cluster.metadata.name,
    name,
    ownerReferences: [ownerReferenceTo(addon, ManagedClusterAddOn)],
  }
}

/** Agents have bindings of their own: with a common one, each cluster would replace the subjects of the others. */
function bindingMetadata(name: string, to: Grantee, cluster: ManagedCluster, addon: ManagedClusterAddOn) {
  if (to !== 'agent') return { name }
  const clusterName = cluster.metadata.name
  return {
    name: `${name}:${clusterName}`,
    labels: { [ADDON_NAME_LABEL]: addon.metadata.name, [CLUSTER_NAME_LABEL]: clusterName },
    ownerReferences: [ownerReferenceTo(cluster, ManagedCluster)],
  }
}
