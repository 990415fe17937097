import { AddOnPlacementScore, ClusterClaim } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { removeCondition } from '@orrery/kinds/values'
import { writeStatus } from '@orrery/kube'
import type { AddonAgent } from '../addon-agent.js'
import { forget, remember } from './memory.js'
import { addonKind, type OwnAddon, readOwnAddon } from './ownership.js'

/** The names of reports. */
export interface ReportNames {
  readonly configMaps?: readonly string[]
  readonly conditions?: readonly string[]
  readonly scores?: readonly string[]
  readonly claims?: readonly string[]
}

/**
 * Deletes reports: those that an add-on no longer makes, or, in a pre-delete hook, claims without an owner. What is reported to the
 * hub is deleted with the ManagedClusterAddOn in any case.
 */
export async function withdrawReports(agent: AddonAgent, names: ReportNames): Promise<void> {
  const { hub, managed, clusterName: namespace, signal } = agent
  for (const name of names.configMaps ?? []) {
    forget(agent, ConfigMap, name)
    await hub.ensureDeleted(ConfigMap, { namespace, name }, { signal })
  }
  for (const name of names.scores ?? []) {
    forget(agent, AddOnPlacementScore, name)
    await hub.ensureDeleted(AddOnPlacementScore, { namespace, name }, { signal })
  }
  for (const name of names.claims ?? []) {
    forget(agent, ClusterClaim, name)
    await managed.ensureDeleted(ClusterClaim, { name }, { signal })
  }
  const { conditions: types = [] } = names
  if (types.length === 0) return
  const kind = await addonKind(agent)
  const statusOf = ({ status }: OwnAddon) => {
    let conditions = status?.conditions ?? []
    for (const type of types) conditions = removeCondition(conditions, type)
    return { ...status, conditions }
  }
  remember(agent, kind, await writeStatus(hub, kind, await readOwnAddon(agent), statusOf, { signal }))
}
