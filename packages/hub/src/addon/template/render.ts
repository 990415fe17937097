import { configDecoration, decorateWorkload, type Manifest, proxyObjects } from '@orrery/addon'
import { ADDON_NAMESPACE, type AddOnDeploymentConfigSpec, type AddOnTemplate, type ManagedCluster } from '@orrery/api'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { credentialVolumes } from './mounts.js'
import { injectedVariables, templateVariables, withVariables } from './variables.js'

/** What the manifests of an AddOnTemplate are rendered for. */
export interface TemplateRendering {
  readonly addonName: string
  readonly cluster: ManagedCluster
  /** The AddOnDeploymentConfig, if one is configured. */
  readonly config: AddOnDeploymentConfigSpec | undefined
}

/**
 * The manifests of an AddOnTemplate for one cluster: with variables replaced, with the credentials, variables and the
 * AddOnDeploymentConfig applied to Deployments and DaemonSets, and with the namespace of the AddOnDeploymentConfig.
 */
export function renderTemplate({ spec }: AddOnTemplate, rendering: TemplateRendering): Manifest[] {
  const problem = executorProblem(spec)
  if (problem !== undefined) throw new Error(problem)
  const { addonName, cluster, config } = rendering
  const namespace = config?.agentInstallNamespace ?? ''
  const installNamespace = templateNamespace(spec, config)
  const variables = templateVariables({
    clusterName: cluster.metadata.name,
    installNamespace,
    isRegistered: spec.registration !== undefined,
    config,
  })
  const byConfig = configDecoration(addonName, cluster, config)
  const decoration = {
    ...byConfig,
    env: [...injectedVariables(variables), ...(byConfig.env ?? [])],
    volumes: [...credentialVolumes(addonName, spec), ...(byConfig.volumes ?? [])],
  }
  const written = spec.agentSpec.workload?.manifests ?? []
  const manifests = withVariables(written, 'spec.agentSpec.workload.manifests', variables).map((manifest) =>
    decorateWorkload(manifest as Manifest, decoration),
  )
  return [...manifests, ...proxyObjects(addonName, installNamespace, config)].map((manifest) =>
    namespace === '' ? manifest : inNamespace(manifest, namespace),
  )
}

/**
 * Why a template with an executor is not used. Without it, the manifests would be applied with all permissions of the cluster's agent,
 * which its author has excluded.
 */
export function executorProblem({ agentSpec }: AddOnTemplate['spec']): string | undefined {
  if (agentSpec?.executor === undefined) return undefined
  return 'spec.agentSpec.executor is not supported: works of add-ons are applied with the permissions of the agent of the cluster'
}

/** The namespace of the agent: of the AddOnDeploymentConfig, else of the first Deployment, else of the first DaemonSet. */
export function templateNamespace(
  { agentSpec }: AddOnTemplate['spec'],
  config: AddOnDeploymentConfigSpec | undefined,
): string {
  const configured = config?.agentInstallNamespace ?? ''
  if (configured !== '') return configured
  const manifests = agentSpec.workload?.manifests ?? []
  const namespaceOf = (kind: string) => {
    const found = manifests.find((manifest) => manifest.kind === kind && manifest.apiVersion === 'apps/v1')
    const namespace = found?.metadata?.namespace
    return typeof namespace === 'string' && !namespace.includes('{{') ? namespace : ''
  }
  return namespaceOf('Deployment') || namespaceOf('DaemonSet') || ADDON_NAMESPACE
}

const BINDINGS: ReadonlySet<string> = new Set(['RoleBinding', 'ClusterRoleBinding'])

/** A manifest in another namespace. Objects without a namespace are in none: only a Namespace, and the accounts of bindings, change. */
function inNamespace(manifest: Manifest, namespace: string): Manifest {
  const { metadata } = manifest
  const isNamespaced = (metadata.namespace ?? '') !== ''
  const moved = isNamespaced ? { ...manifest, metadata: { ...metadata, namespace } } : manifest
  if (manifest.kind === 'Namespace') return { ...moved, metadata: { ...moved.metadata, name: namespace } }
  const { subjects } = manifest
  if (!BINDINGS.has(manifest.kind) || !Array.isArray(subjects)) return moved
  return { ...moved, subjects: subjects.map((subject: JsonValue) => accountIn(subject, namespace)) }
}

function accountIn(subject: JsonValue, namespace: string): JsonValue {
  const isAccount = isObject(subject) && subject.kind === 'ServiceAccount'
  return isAccount ? { ...(subject as JsonObject), namespace } : subject
}
