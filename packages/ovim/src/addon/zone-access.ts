import { applyAccess, type Grant, registeredSubjects } from '@orrery/addon'
import { ADDON_NAME_LABEL, CLUSTER_NAME_LABEL, ManagedCluster } from '@orrery/api'
import { ClusterRole, ClusterRoleBinding } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { OVIM_GROUP } from '../kinds/names.js'
import { Zone } from '../kinds/zone.js'
import { OVIM_ADDON } from './names.js'

/**
 * Lets the agent of a cluster act for the zone of that cluster, and for no other. Each cluster has a role of its own, which is
 * deleted with it. The labels let the add-on manager delete the binding with the add-on, and when the cluster is denied.
 */
export const grantZone: Grant = async (cluster, addon, context) => {
  const clusterName = cluster.metadata.name
  const name = `ovim:zone-agent:${clusterName}`
  const metadata = {
    name,
    labels: { [ADDON_NAME_LABEL]: OVIM_ADDON, [CLUSTER_NAME_LABEL]: clusterName },
    ownerReferences: [ownerReferenceTo(cluster, ManagedCluster)],
  }
  const resources = [`${Zone.plural}/agent`]
  const rules = [{ apiGroups: [OVIM_GROUP], resources, resourceNames: [clusterName], verbs: ['update'] }]
  // Before anything is written: without a subject there is nobody to grant it to.
  const subjects = registeredSubjects(addon, 'cluster')
  await applyAccess(context, ClusterRole, { metadata, rules })
  const roleRef = { apiGroup: ClusterRole.group, kind: 'ClusterRole', name }
  await applyAccess(context, ClusterRoleBinding, { metadata, roleRef, subjects })
}
