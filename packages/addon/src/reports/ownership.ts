import { ADDON_NAME_LABEL, ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1 } from '@orrery/api'
import type { ApiObject, Condition, Kind, OwnerReference } from '@orrery/kinds'
import { isBeingDeleted, ownerReferenceTo } from '@orrery/kube'
import type { AddonAgent } from '../addon-agent.js'
import { addonApiVersion } from '../api-version.js'
import { recall, remember } from './memory.js'

/** The ManagedClusterAddOn of an agent: the fields that all versions share. */
export interface OwnAddon extends ApiObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

const kinds = new WeakMap<AddonAgent, Kind<OwnAddon, object>>()

/** The kind of ManagedClusterAddOns in a version that the hub serves. */
export async function addonKind(agent: AddonAgent): Promise<Kind<OwnAddon, object>> {
  const known = kinds.get(agent)
  if (known !== undefined) return known
  const version = await addonApiVersion(agent.hub, { signal: agent.signal })
  if (version === undefined) throw new Error('the hub does not serve ManagedClusterAddOns: check --hub-kubeconfig')
  const kind: Kind<OwnAddon, object> = version === 'v1beta1' ? ManagedClusterAddOn : ManagedClusterAddOnV1Alpha1
  kinds.set(agent, kind)
  return kind
}

/** Reads the ManagedClusterAddOn of an agent. */
export async function readOwnAddon(agent: AddonAgent): Promise<OwnAddon> {
  const { hub, clusterName: namespace, addonName: name, signal } = agent
  const kind = await addonKind(agent)
  const addon = await hub.find(kind, { namespace, name }, { signal })
  if (addon !== undefined) return remember(agent, kind, addon)
  throw new Error(
    `ManagedClusterAddOn ${namespace}/${name} does not exist on the hub: check --cluster-name and --addon-name, or ` +
      'whether the add-on has been removed',
  )
}

/**
 * The owner of what an agent reports to the hub: its ManagedClusterAddOn, with which the hub deletes the reports. Undefined
 * while that is being deleted.
 */
export async function reportOwner(agent: AddonAgent): Promise<OwnerReference | undefined> {
  const kind = await addonKind(agent)
  const addon = recall(agent, kind, agent.addonName) ?? (await readOwnAddon(agent))
  return isBeingDeleted(addon) ? undefined : ownerReferenceTo(addon, kind)
}

/** The labels of what an agent reports. */
export function reportLabels({ addonName }: AddonAgent): Record<string, string> {
  return { [ADDON_NAME_LABEL]: addonName }
}

/** Throws if an object belongs to another add-on, which would write it in turn. */
export function checkOwn(
  { addonName }: AddonAgent,
  kind: Kind<ApiObject, object>,
  object: ApiObject | undefined,
): void {
  const other = object?.metadata.labels?.[ADDON_NAME_LABEL]
  if (object === undefined || other === undefined || other === addonName) return
  throw new Error(
    `${kind.kind} ${JSON.stringify(object.metadata.name)} belongs to the add-on ${JSON.stringify(other)}: ` +
      `choose another name for the report of ${JSON.stringify(addonName)}`,
  )
}
