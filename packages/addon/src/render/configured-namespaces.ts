import { type AddOnConfig, ClusterManagementAddOn, type ManagedClusterAddOn } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import type { AddonContext, ConfigKind } from '../agent-addon.js'

/** An object that `status.configReferences` names. */
interface Referenced {
  readonly namespace?: string | undefined
  readonly name: string
}

/**
 * Throws unless a configuration that a status names is in a namespace that was chosen for configurations of the add-on: in
 * `spec.configs`, or in the ClusterManagementAddOn. The agent of the cluster may be able to write the status, and reads what is made
 * from the configuration. The name is not compared: until a rollout reaches a cluster, its status has a configuration that is no longer
 * named anywhere else.
 */
export async function requireConfiguredNamespace(
  { metadata, spec }: ManagedClusterAddOn,
  kind: ConfigKind,
  { namespace = '', name }: Referenced,
  { client, signal }: Pick<AddonContext, 'client' | 'signal'>,
): Promise<void> {
  const isNamed = (configs: readonly AddOnConfig[]) =>
    configs.some(
      (config) =>
        config.group === kind.group && config.resource === kind.resource && (config.namespace ?? '') === namespace,
    )
  if (namespace === metadata.namespace || isNamed(spec?.configs ?? [])) return
  const known = namespacesBy(client)
  const key = JSON.stringify([metadata.name, kind.group, kind.resource, namespace])
  if (known.has(key)) return
  const managementAddon = await client.find(ClusterManagementAddOn, { name: metadata.name }, { signal })
  const { defaultConfigs = [], installStrategy } = managementAddon?.spec ?? {}
  const placed = (installStrategy?.placements ?? []).flatMap(({ configs = [] }) => configs)
  if (!isNamed([...defaultConfigs, ...placed])) {
    throw new Error(
      `status.configReferences of addon ${metadata.namespace}/${metadata.name} names ${kind.resource} ${namespace}/${name}: ` +
        `neither its spec.configs nor its ClusterManagementAddOn has configurations in namespace ${JSON.stringify(namespace)}`,
    )
  }
  known.add(key)
}

/**
 * What ClusterManagementAddOns have named, for each API server: manifests of thousands of clusters need no request each. There are no
 * more than they have ever named.
 */
const namespaces = new WeakMap<KubeClient['transport'], Set<string>>()

function namespacesBy({ transport }: KubeClient): Set<string> {
  const known = namespaces.get(transport) ?? new Set<string>()
  namespaces.set(transport, known)
  return known
}
