import { addonClient, DEPLOYMENT_CONFIG } from '@orrery/addon'
import {
  ClusterManagementAddOn,
  ManagedClusterSetBinding,
  type NewClusterManagementAddOn,
  Placement,
} from '@orrery/api'
import { ensure, isAlreadyExists, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { SYSTEM_NAMESPACE } from '../kinds/names.js'
import { OVIM_ADDON } from './names.js'

/** The clusters that get the add-on: those on which it is enabled, or all. */
export type InstalledOn = 'enabled' | 'all'

const ALL_CLUSTERS = { namespace: SYSTEM_NAMESPACE, name: 'ovim-clusters' }
const GLOBAL_SET = 'global'

/**
 * Ensures the ClusterManagementAddOn. One that exists stays as it is: administrators change where the add-on is installed. With `all`, a
 * Placement installs it on every cluster.
 */
export async function installAddon(client: KubeClient, where: InstalledOn, call: CallOptions = {}): Promise<void> {
  const hub = addonClient(client)
  if ((await hub.find(ClusterManagementAddOn, { name: OVIM_ADDON }, call)) !== undefined) return
  if (where === 'all') await placeOnAll(hub, call)
  try {
    await hub.create(ClusterManagementAddOn, addOnFor(where), call)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

async function placeOnAll(client: KubeClient, call: CallOptions): Promise<void> {
  const { namespace } = ALL_CLUSTERS
  const binding = { metadata: { namespace, name: GLOBAL_SET }, spec: { clusterSet: GLOBAL_SET } }
  await ensure(client, ManagedClusterSetBinding, binding, undefined, call)
  const tolerations = ['unreachable', 'unavailable'].map((taint) => ({
    key: `cluster.open-cluster-management.io/${taint}`,
    operator: 'Exists' as const,
  }))
  // The add-on stays on clusters whose agent does not answer.
  const placement = { metadata: ALL_CLUSTERS, spec: { clusterSets: [GLOBAL_SET], tolerations } }
  await ensure(client, Placement, placement, undefined, call)
}

function addOnFor(where: InstalledOn): NewClusterManagementAddOn {
  const { group, resource } = DEPLOYMENT_CONFIG
  return {
    metadata: { name: OVIM_ADDON },
    spec: {
      addOnMeta: {
        displayName: 'OVIM',
        description: 'Manages virtual machines with KubeVirt, for the OVIM service on the hub.',
      },
      supportedConfigs: [{ group, resource }],
      installStrategy: where === 'all' ? { type: 'Placements', placements: [{ ...ALL_CLUSTERS }] } : { type: 'Manual' },
    },
  } as NewClusterManagementAddOn
}
