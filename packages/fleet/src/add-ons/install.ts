import { AddOnCondition, ManagedClusterAddOn } from '@orrery/api'
import { type KubeObject, Namespace } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { Discovery } from '@orrery/kube/discovery'

/** The field manager of objects that a fleet applies for its add-ons. */
const FIELD_MANAGER = 'orrery-add-ons'

/** Applies the manifests of an add-on to the hub, and creates the namespaces that they need. */
export async function applyManifests(
  hub: KubeClient,
  manifests: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, force: true, signal }
  const namespaces = new Set(manifests.flatMap(({ metadata: { namespace } }) => namespace ?? []))
  for (const name of namespaces) await hub.apply(Namespace, { metadata: { name } }, options)
  const discovery = new Discovery(hub)
  for (const manifest of manifests) {
    const { apiVersion, kind } = manifest
    const [version = '', group = ''] = apiVersion.split('/').toReversed()
    await hub.apply(await discovery.kind({ group, version, kind }, { signal }), manifest, options)
  }
}

/** The state of an add-on on a cluster. */
export interface AddOnState {
  readonly cluster: string
  readonly addOn: string
  /** The status of the condition Available; undefined if there is none yet. */
  readonly available: string | undefined
  /** Why it is not available. */
  readonly message: string | undefined
}

/**
 * Resolves when all add-ons are available on all clusters, at the latest when the signal aborts. Returns the states then, one
 * for each add-on and cluster.
 */
export async function whenAddOnsAvailable(
  hub: KubeClient,
  addOns: readonly string[],
  clusters: readonly string[],
  signal: AbortSignal,
): Promise<readonly AddOnState[]> {
  const found = new Map<string, ManagedClusterAddOn>()
  const keyOf = (cluster: string, addOn: string) => `${cluster}/${addOn}`
  const states = () =>
    addOns.flatMap((addOn) => clusters.map((cluster) => stateOf(cluster, addOn, found.get(keyOf(cluster, addOn)))))
  try {
    for await (const { type, object } of hub.watch(ManagedClusterAddOn, { signal })) {
      if (type === 'BOOKMARK') continue
      const { namespace, name } = object.metadata
      if (type === 'DELETED') found.delete(keyOf(namespace, name))
      else found.set(keyOf(namespace, name), object)
      if (states().every(({ available }) => available === 'True')) break
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return states()
}

function stateOf(cluster: string, addOn: string, found: ManagedClusterAddOn | undefined): AddOnState {
  const condition = findCondition(found?.status?.conditions, AddOnCondition.Available)
  const missing = found === undefined ? 'there is no ManagedClusterAddOn' : 'it has no condition Available'
  const message = condition === undefined ? missing : condition.message
  return { cluster, addOn, available: condition?.status, message: condition?.status === 'True' ? undefined : message }
}
