import {
  type AddonContext,
  type AgentAddon,
  applyAccess,
  type ConfigKind,
  DEPLOYMENT_CONFIG,
  deploymentConfig,
  type RegistrationOptions,
  registeredSubjects,
} from '@orrery/addon'
import {
  AddOnTemplate,
  type ClusterManagementAddOn,
  IMAGE_REGISTRIES_ANNOTATION,
  type ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
} from '@orrery/api'
import { RoleBinding, type Subject } from '@orrery/kinds'
import { findCondition, forbidden } from '@orrery/kinds/values'
import { type Informer, ownerReferenceTo } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { bindingLabels, sharedSubjects, type TemplateBinding, templateBindings } from './bindings.js'
import { defaultTemplate, desiredTemplate } from './desired-template.js'
import { templateRegistration } from './registration.js'
import { renderTemplate, templateNamespace } from './render.js'

/** What the agents of templates read. */
export interface TemplateInformers {
  readonly templates: Informer<AddOnTemplate>
  readonly managementAddons: Informer<ClusterManagementAddOn>
  /** With the index `ADDONS_BY_NAME`. */
  readonly addons: Informer<ManagedClusterAddOn>
  readonly clusters: Informer<ManagedCluster>
}

/** The index of ManagedClusterAddOns by their names. */
export const ADDONS_BY_NAME = 'addonsByName'

/** The kinds of configuration of templates. */
export const TEMPLATE_CONFIGS: readonly ConfigKind[] = [
  DEPLOYMENT_CONFIG,
  { group: AddOnTemplate.group, version: AddOnTemplate.version, resource: AddOnTemplate.plural },
]

/** The add-on of a ClusterManagementAddOn that supports templates. */
export function templateAgent(name: string, informers: TemplateInformers, clock: Clock): AgentAddon {
  const { templates, managementAddons } = informers
  const templateOf = (addon: ManagedClusterAddOn) => desiredTemplate(templates, addon)
  const { configurations, ...requests } = templateRegistration(templateOf, clock)
  return {
    name,
    async manifests(cluster, addon, context) {
      const config = (await deploymentConfig(addon, context))?.spec
      return renderTemplate(templateOf(addon), { addonName: name, cluster, config })
    },
    registration: { configurations, ...requests, ...templatePermissions(templateOf, informers) },
    healthProber: { type: 'WorkloadAvailability' },
    async agentInstallNamespace(addon, context) {
      return templateNamespace(templateOf(addon).spec, (await deploymentConfig(addon, context))?.spec)
    },
    supportedConfigs: TEMPLATE_CONFIGS,
    rendersOnClusterChange: (before, after) =>
      before.metadata.annotations?.[IMAGE_REGISTRIES_ANNOTATION] !==
        after.metadata.annotations?.[IMAGE_REGISTRIES_ANNOTATION] ||
      findCondition(before.status?.conditions, ManagedClusterCondition.Available)?.status !==
        findCondition(after.status?.conditions, ManagedClusterCondition.Available)?.status,
    get manifestConfigs() {
      const managementAddon = managementAddons.get({ name })
      const template = managementAddon && defaultTemplate(templates, managementAddon)
      return template?.spec.agentSpec.manifestConfigs ?? []
    },
    requiresConfiguration: true,
  }
}

/** Binds the roles that a template names. The API server refuses roles with permissions that the hub itself does not have. */
function templatePermissions(
  templateOf: (addon: ManagedClusterAddOn) => AddOnTemplate,
  { addons, clusters }: TemplateInformers,
): Required<Pick<RegistrationOptions, 'permissions' | 'revoke'>> {
  const shared = (addonName: string) =>
    sharedSubjects(addonName, addons.byIndex(ADDONS_BY_NAME, addonName), (name) => clusters.get({ name }))

  async function bind(
    { namespace, name, roleRef, scope }: TemplateBinding,
    addon: ManagedClusterAddOn,
    subjects: Subject[],
    context: AddonContext,
  ): Promise<void> {
    const labels = bindingLabels(addon.metadata.name)
    const current = await context.client.find(RoleBinding, { namespace, name }, { signal: context.signal })
    if (current !== undefined && !hasLabels(current, labels)) {
      const { group, plural: resource } = RoleBinding
      throw forbidden({ group, resource }, name, `it exists in namespace ${namespace} and is not of this add-on`)
    }
    const ownerReferences = scope === 'cluster' ? [ownerReferenceTo(addon, ManagedClusterAddOn)] : []
    const metadata = { namespace, name, labels, ...(ownerReferences.length > 0 && { ownerReferences }) }
    await applyAccess(context, RoleBinding, { metadata, roleRef, subjects })
  }

  const bindingsFor = (cluster: ManagedCluster, addon: ManagedClusterAddOn) =>
    templateBindings(templateOf(addon), addon.metadata.name, cluster.metadata.name)

  return {
    async permissions(cluster, addon, context) {
      for (const binding of bindingsFor(cluster, addon)) {
        const own = registeredSubjects(addon, binding.scope)
        await bind(binding, addon, binding.scope === 'cluster' ? own : shared(addon.metadata.name), context)
      }
    },
    async revoke(cluster, addon, context) {
      const common = bindingsFor(cluster, addon).filter(({ scope }) => scope === 'shared')
      for (const binding of common) await bind(binding, addon, shared(addon.metadata.name), context)
    },
  }
}

function hasLabels({ metadata }: RoleBinding, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)
}
