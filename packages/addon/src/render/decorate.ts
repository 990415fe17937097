import type {
  AddOnDeploymentConfigSpec,
  ContainerResources,
  ImageMirror,
  ManagedCluster,
  NodePlacement,
  ProxyConfig,
} from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import type { AgentAddon, Manifest } from '../agent-addon.js'
import { deploymentConfig } from './deployment-config.js'
import { caBundleOf } from './deployment-config-values.js'
import { imageRegistries, overrideImage } from './images.js'
import { containerResources } from './resources.js'

/** Changes for the pods of Deployments and DaemonSets. */
export interface WorkloadDecoration {
  /** Replaces the node selector and the tolerations, as far as they are set. */
  readonly nodePlacement?: NodePlacement | undefined
  /** Replaces the registries of images. */
  readonly registries?: readonly ImageMirror[] | undefined
  /** Replaces the compute resources of containers that an entry matches. */
  readonly resourceRequirements?: readonly ContainerResources[] | undefined
  /** Environment variables of all containers. They replace variables of the same name. */
  readonly env?: readonly EnvironmentVariable[] | undefined
  /** Volumes that are mounted in all containers. */
  readonly volumes?: readonly MountedVolume[] | undefined
}

export interface EnvironmentVariable {
  readonly name: string
  readonly value: string
}

/** A volume and where it is mounted. `source` has the field of the volume's type: `{ secret: { secretName: '…' } }`. */
export interface MountedVolume {
  readonly name: string
  readonly mountPath: string
  readonly source: JsonObject
}

/** Where the CA certificates of a proxy are mounted, and the file with them. */
const PROXY_CA = { volume: 'proxy-ca-bundle', mountPath: '/managed/proxy-ca', file: 'ca-bundle.crt' } as const

const RESOURCES: Readonly<Record<string, string>> = { Deployment: 'deployments', DaemonSet: 'daemonsets' }

/** A manifest with the changes, if it is a Deployment or a DaemonSet of `apps/v1`; any other as it is. */
export function decorateWorkload(manifest: Manifest, decoration: WorkloadDecoration): Manifest {
  const resource = isObject(manifest) ? RESOURCES[manifest.kind] : undefined
  const { spec } = manifest
  if (resource === undefined || manifest.apiVersion !== 'apps/v1' || !isObject(spec)) return manifest
  const template = objectIn(spec, 'template')
  const pod = decoratedPod(objectIn(template, 'spec'), decoration, resource, manifest.metadata.name ?? '')
  return { ...manifest, spec: { ...spec, template: { ...template, spec: pod } } }
}

/** The changes that an AddOnDeploymentConfig, or the cluster, asks for. `proxyObjects` are the objects that they refer to. */
export function configDecoration(
  addonName: string,
  cluster: ManagedCluster,
  config: AddOnDeploymentConfigSpec | undefined,
): WorkloadDecoration {
  const { nodePlacement, resourceRequirements, proxyConfig } = config ?? {}
  const env = proxyEnvironment(proxyConfig)
  const withBundle = env.length > 0 && caBundleOf(proxyConfig) !== ''
  const { volume, mountPath, file } = PROXY_CA
  return {
    nodePlacement,
    resourceRequirements,
    registries: imageRegistries(cluster, config),
    env: withBundle ? [...env, { name: 'CA_BUNDLE_FILE_PATH', value: `${mountPath}/${file}` }] : env,
    volumes: withBundle ? [{ name: volume, mountPath, source: { configMap: { name: proxyCaName(addonName) } } }] : [],
  }
}

/** The ConfigMap with the CA certificates of the proxy, if there are any. */
export function proxyObjects(
  addonName: string,
  namespace: string,
  config: AddOnDeploymentConfigSpec | undefined,
): Manifest[] {
  const bundle = caBundleOf(config?.proxyConfig)
  if (bundle === '') return []
  const metadata = { name: proxyCaName(addonName), namespace }
  return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { [PROXY_CA.file]: bundle } }]
}

/**
 * Manifests with the changes that the AddOnDeploymentConfig of the add-on asks for in all Deployments and DaemonSets: nodes,
 * images, proxies and compute resources.
 */
export function withDeploymentConfig(addonName: string, manifests: AgentAddon['manifests']): AgentAddon['manifests'] {
  return async (cluster, addon, context) => {
    const config = (await deploymentConfig(addon, context))?.spec
    const decoration = configDecoration(addonName, cluster, config)
    const all = (await manifests(cluster, addon, context)).map((manifest) => decorateWorkload(manifest, decoration))
    return [...all, ...proxyObjects(addonName, addon.status?.namespace ?? '', config)]
  }
}

function proxyCaName(addonName: string): string {
  return `${addonName}-proxy-ca`
}

/** Programs look for the names in upper case, in lower case or in both. */
function proxyEnvironment({ httpProxy = '', httpsProxy = '', noProxy = '' }: ProxyConfig = {}): EnvironmentVariable[] {
  const variables = { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy }
  return Object.entries(variables)
    .filter(([, value]) => value !== '')
    .flatMap(([name, value]) => [
      { name, value },
      { name: name.toLowerCase(), value },
    ])
}

function decoratedPod(pod: JsonObject, decoration: WorkloadDecoration, resource: string, name: string): JsonObject {
  const { nodePlacement, registries = [], resourceRequirements = [], env = [], volumes = [] } = decoration
  const withImage = (container: JsonObject): JsonObject =>
    typeof container.image === 'string'
      ? { ...container, image: overrideImage(registries, container.image) }
      : container
  const mounts = volumes.map((volume) => ({ name: volume.name, mountPath: volume.mountPath }))
  const decorated = (container: JsonObject): JsonObject => {
    const id = { resource, name, container: String(container.name) }
    const resources = containerResources(resourceRequirements, id)
    return {
      ...withImage(container),
      ...(env.length > 0 && {
        env: named(
          container.env,
          env.map(({ name, value }) => ({ name, value })),
        ),
      }),
      ...(mounts.length > 0 && { volumeMounts: named(container.volumeMounts, mounts) }),
      ...(resources && { resources: resources as JsonObject }),
    }
  }
  const added = volumes.map((volume) => ({ name: volume.name, ...volume.source }))
  const { nodeSelector, tolerations } = nodePlacement ?? {}
  return {
    ...pod,
    ...(Array.isArray(pod.containers) && { containers: pod.containers.filter(isObject).map(decorated) }),
    ...(Array.isArray(pod.initContainers) && { initContainers: pod.initContainers.filter(isObject).map(withImage) }),
    ...(added.length > 0 && { volumes: named(pod.volumes, added) }),
    ...(nodeSelector && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations && { tolerations: tolerations.map((toleration) => ({ ...toleration })) }),
  }
}

/** A list with more items. An item replaces one of the same name: a list with both would not be valid. */
function named(current: unknown, more: readonly (JsonObject & { readonly name: string })[]): JsonObject[] {
  const known = (Array.isArray(current) ? current : []).filter(isObject)
  const names = new Set<unknown>(more.map(({ name }) => name))
  return [...known.filter(({ name }) => !names.has(name)), ...more]
}

function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object[key]
  return isObject(value) ? value : {}
}
