import { AddOnDeploymentConfig, type ManagedClusterAddOn } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import type { AddonContext, ConfigKind } from '../agent-addon.js'
import { ConfigNotReady } from '../config/config-not-ready.js'
import { configSpecHash } from '../config/spec-hash.js'
import { requireConfiguredNamespace } from './configured-namespaces.js'

/** The kind of AddOnDeploymentConfig, for `supportedConfigs` of an add-on. */
export const DEPLOYMENT_CONFIG: ConfigKind = {
  group: AddOnDeploymentConfig.group,
  version: AddOnDeploymentConfig.version,
  resource: AddOnDeploymentConfig.plural,
}

/**
 * The AddOnDeploymentConfig that an add-on should use, from `status.configReferences`; undefined if none is configured. Throws
 * `ConfigNotReady` while its hash is not known, so that nothing is rendered with it before its rollout, and another error if it is in a
 * namespace that was not chosen for configurations of the add-on.
 */
export async function deploymentConfig(
  addon: ManagedClusterAddOn,
  { client, signal }: AddonContext,
): Promise<AddOnDeploymentConfig | undefined> {
  const { metadata, status } = addon
  const { group, resource } = DEPLOYMENT_CONFIG
  const reference = status?.configReferences?.find((ref) => ref.group === group && ref.resource === resource)
  if (reference === undefined) return undefined
  const { namespace, name, specHash = '' } = reference.desiredConfig ?? { name: '' }
  if (name === '' || specHash === '') throw new ConfigNotReady(metadata.name, 'deployment config')
  await requireConfiguredNamespace(addon, DEPLOYMENT_CONFIG, { namespace, name }, { client, signal })
  const known = configsBy(client)
  const key = `${namespace}/${name}/${specHash}`
  const config = known.get(key) ?? (await client.get(AddOnDeploymentConfig, { namespace, name }, { signal }))
  if (configSpecHash(config) === specHash) remember(known, key, config)
  return config
}

const MAX_KNOWN = 256

/**
 * Objects by name and hash, for each API server. The hash says what is in an object: manifests of thousands of clusters need no
 * request each.
 */
const configs = new WeakMap<KubeClient['transport'], Map<string, AddOnDeploymentConfig>>()

function configsBy({ transport }: KubeClient): Map<string, AddOnDeploymentConfig> {
  const known = configs.get(transport) ?? new Map<string, AddOnDeploymentConfig>()
  configs.set(transport, known)
  return known
}

function remember(known: Map<string, AddOnDeploymentConfig>, key: string, config: AddOnDeploymentConfig): void {
  known.delete(key)
  known.set(key, config)
  const [oldest] = known.keys()
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
}

/** `agentInstallNamespace` of the AddOnDeploymentConfig: a value for `agentInstallNamespace` of an add-on. */
export async function installNamespaceFromConfig(
  addon: ManagedClusterAddOn,
  context: AddonContext,
): Promise<string | undefined> {
  return (await deploymentConfig(addon, context))?.spec.agentInstallNamespace
}
