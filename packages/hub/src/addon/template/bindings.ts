import { agentSubject, isAccepted, tokenUser } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  ADDON_TEMPLATE_LABEL,
  type AddOnTemplate,
  type HubPermission,
  type ManagedCluster,
  type ManagedClusterAddOn,
} from '@orrery/api'
import { ClusterRole, type RoleRef, type Subject } from '@orrery/kinds'

/** A binding that gives agents of a template permissions on the hub. */
export interface TemplateBinding {
  readonly namespace: string
  readonly name: string
  readonly roleRef: RoleRef
  /** Whether it is for the agent of one cluster, or for those of all clusters. */
  readonly scope: 'cluster' | 'shared'
}

/** The labels of the bindings of a template. */
export function bindingLabels(addonName: string): Record<string, string> {
  return { [ADDON_NAME_LABEL]: addonName, [ADDON_TEMPLATE_LABEL]: '' }
}

/**
 * The bindings that a template asks for on one cluster. The first one of a kind of role in a namespace has the name that Open
 * Cluster Management gives it; the names of others end with their role.
 */
export function templateBindings(template: AddOnTemplate, addonName: string, clusterName: string): TemplateBinding[] {
  const taken = new Set<string>()
  const permissions = (template.spec.registration ?? []).flatMap(({ type, kubeClient }) =>
    type === 'KubeClient' ? (kubeClient?.hubPermissions ?? []) : [],
  )
  return permissions.map((permission) => {
    const { namespace, roleRef, scope } = grantOf(permission, clusterName)
    const first = `open-cluster-management:${addonName}:${roleRef.kind.toLowerCase()}:agent`
    const name = taken.has(`${namespace}/${first}`) ? `${first}:${roleRef.name}` : first
    taken.add(`${namespace}/${first}`)
    return { namespace, name, roleRef, scope }
  })
}

function grantOf(permission: HubPermission, clusterName: string): Omit<TemplateBinding, 'name'> {
  const { type, currentCluster, singleNamespace } = permission
  const apiGroup = ClusterRole.group
  if (type === 'CurrentCluster') {
    if (currentCluster === undefined)
      throw new Error('current cluster is required when the HubPermission type is CurrentCluster')
    const roleRef = { apiGroup, kind: 'ClusterRole', name: currentCluster.clusterRoleName }
    return { namespace: clusterName, roleRef, scope: 'cluster' }
  }
  if (singleNamespace === undefined)
    throw new Error('single namespace is required when the HubPermission type is SingleNamespace')
  const { namespace, roleRef } = singleNamespace
  return { namespace, roleRef: { apiGroup, kind: roleRef.kind, name: roleRef.name }, scope: 'shared' }
}

/**
 * The subjects of a binding that the agents of all clusters share: the group of all agents with certificates, and the service
 * accounts of those with tokens. It is the same for all clusters: with the subjects of one, each cluster would replace those of the
 * others. Agents of clusters that the hub does not accept are in the group as well: while there are any, the groups of the other
 * clusters are listed instead. An add-on in a namespace that is no cluster, where any user may have created it, does not count.
 */
export function sharedSubjects(
  addonName: string,
  installed: readonly ManagedClusterAddOn[],
  clusterOf: (name: string) => ManagedCluster | undefined,
): Subject[] {
  const addons = installed.filter(({ metadata }) => clusterOf(metadata.namespace) !== undefined)
  const hasToken = ({ status }: ManagedClusterAddOn) =>
    status?.registrations?.some(({ kubeClient }) => kubeClient?.driver === 'token') ?? false
  const accepted = addons.filter(({ metadata }) => isAccepted(clusterOf(metadata.namespace)))
  const clustersOf = (some: readonly ManagedClusterAddOn[]) => some.map(({ metadata }) => metadata.namespace).sort()
  const withToken = clustersOf(accepted.filter(hasToken)).map((cluster) => tokenUser(cluster, addonName))
  const [, ofAllClusters] = agentSubject('', addonName).groups
  const groups =
    accepted.length === addons.length
      ? [ofAllClusters]
      : clustersOf(accepted.filter((addon) => !hasToken(addon))).map(
          (cluster) => agentSubject(cluster, addonName).groups[0],
        )
  const apiGroup = ClusterRole.group
  return [
    ...groups.map((name) => ({ kind: 'Group', apiGroup, name })),
    ...withToken.map((name) => ({ kind: 'User', apiGroup, name })),
  ]
}
