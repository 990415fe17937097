import type { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import type { AddonContext, AgentAddon, HostedMode, Manifest } from '../agent-addon.js'
import { installNamespaceOf } from '../registration/install-namespace.js'
import { collectValues, mergeValues, type Values, type ValuesSource } from './values.js'
import { compileYaml } from './yaml-template.js'

/** Where manifests come from: an object, a list, or a function of the cluster and the add-on. */
export type ManifestSource = Manifest | readonly Manifest[] | AgentAddon['manifests']

/** The manifests of several sources, in their order: a value for `manifests` of an add-on. */
export function manifestsFrom(...sources: readonly ManifestSource[]): AgentAddon['manifests'] {
  return async (cluster, addon, context) => {
    const all: Manifest[] = []
    for (const source of sources) {
      const found = typeof source === 'function' ? await source(cluster, addon, context) : source
      all.push(...(isList(found) ? found : [found]))
    }
    return all
  }
}

/** How to render YAML templates. */
export interface YamlManifestsOptions {
  /** The name of the add-on. */
  readonly addonName: string
  /** The templates: YAML with one or more documents each, by names for messages, such as the names of their files. */
  readonly templates: Readonly<Record<string, string>>
  /** Values, or functions that return them. Later ones override earlier ones. */
  readonly values?: readonly (Values | ValuesSource)[]
  /** The same as `agentInstallNamespace` of the add-on. */
  readonly agentInstallNamespace?: AgentAddon['agentInstallNamespace']
  /** The same as `hostedMode` of the add-on. */
  readonly hostedMode?: HostedMode
}

/**
 * Manifests from YAML templates: a value for `manifests` of an add-on. Templates are parsed once, here: one that is not valid
 * throws at the start of the program.
 */
export function yamlManifests(options: YamlManifestsOptions): AgentAddon['manifests'] {
  const templates = Object.entries(options.templates).map(([name, text]) => compileYaml(text, name))
  return async (cluster, addon, context) => {
    const scope = await scopeOf(options, cluster, addon, context)
    return templates.flatMap((template) => template(scope))
  }
}

/**
 * What expressions can refer to. Values are there as they are and under `.Values`, with the names of the built-in ones in both
 * spellings: `.ClusterName` as in Open Cluster Management's templates, `.Values.clusterName` as in its Helm charts.
 */
async function scopeOf(
  { addonName, values = [], agentInstallNamespace, hostedMode }: YamlManifestsOptions,
  cluster: ManagedCluster,
  addon: ManagedClusterAddOn,
  context: AddonContext,
): Promise<JsonObject> {
  const names = { ...(agentInstallNamespace && { agentInstallNamespace }) }
  const namespace = await installNamespaceOf(names, addon, context)
  const version = cluster.status?.version?.kubernetes ?? ''
  const secrets = {
    hubKubeConfigSecret: `${addonName}-hub-kubeconfig`,
    managedKubeConfigSecret: `${addonName}-managed-kubeconfig`,
  }
  const builtIn = {
    clusterName: cluster.metadata.name,
    addonInstallNamespace: namespace,
    installMode: hostedMode?.(addon, cluster).mode ?? 'Default',
  }
  const given = await collectValues(values, cluster, addon, context)
  return {
    ...mergeValues(capitalized(secrets), given, capitalized(builtIn)),
    Values: mergeValues(secrets, given, builtIn),
    Release: { Name: addonName, Namespace: namespace },
    Capabilities: { KubeVersion: { Version: version, GitVersion: version } },
  }
}

function capitalized(values: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, value]),
  )
}

function isList(source: Manifest | readonly Manifest[]): source is readonly Manifest[] {
  return Array.isArray(source)
}
