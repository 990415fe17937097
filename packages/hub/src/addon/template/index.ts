import { type AddonManagerContext, configControllers, deployControllers, registrationControllers } from '@orrery/addon'
import {
  ADDON_NAME_LABEL,
  AddOnTemplate,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
} from '@orrery/api'
import { type ControllerSpec, each, type Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { refOfObject } from '@orrery/kube/write'
import type { HubContext } from '../../context.js'
import { supportsTemplates } from './desired-template.js'
import { staleBindings } from './stale-bindings.js'
import { ADDONS_BY_NAME, TEMPLATE_CONFIGS, type TemplateInformers } from './template-agent.js'
import { TemplateAgents } from './template-agents.js'

/**
 * The controllers of add-ons without a controller of their own: those whose ClusterManagementAddOn supports AddOnTemplates. They are
 * the same as of any other add-on, with an agent that is made from the template.
 */
export function addonTemplateControllers(context: HubContext): ControllerSpec[] {
  const { informers, clock } = context
  const addons = informers.of(ManagedClusterAddOn)
  addons.addIndex(ADDONS_BY_NAME, ({ metadata }) => [metadata.name])
  const known: TemplateInformers = {
    templates: informers.of(AddOnTemplate),
    managementAddons: informers.of(ClusterManagementAddOn),
    addons,
    clusters: informers.of(ManagedCluster),
  }
  const manager: AddonManagerContext = {
    ...context,
    agents: new TemplateAgents(known, clock),
    labelSelector: ADDON_NAME_LABEL,
    clusters: known.clusters,
    addons,
    works: informers.of(ManifestWork, { labelSelector: ADDON_NAME_LABEL }),
    triggered: neverTriggered(addons),
  }
  const specs = [
    ...deployControllers(manager),
    ...registrationControllers(manager),
    ...configControllers(manager, TEMPLATE_CONFIGS),
    staleBindings(context, known),
  ]
  return specs.map((spec) => ({ ...spec, wakes: [...spec.wakes, ...templateWakes(known, spec)] }))
}

/**
 * All controllers wait until templates and ClusterManagementAddOns are known: an add-on would seem to have no template otherwise. Those
 * of ManagedClusterAddOns are woken when their template appears.
 */
function templateWakes({ templates, managementAddons, addons }: TemplateInformers, { wakes }: ControllerSpec): Wake[] {
  const isOfAddons = wakes.some(({ target }) => target === addons.kind)
  const addonsOf = (name: string) => (isOfAddons ? addons.byIndex(ADDONS_BY_NAME, name).map(refOfObject) : [])
  return [
    each(templates, ({ spec }) => addonsOf(spec.addonName), { when: ({ type }) => type !== 'updated' }),
    each(managementAddons, ({ metadata }) => addonsOf(metadata.name), {
      when: ({ before, after }) => isTemplated(before) !== isTemplated(after),
    }),
  ]
}

function isTemplated(managementAddon: ClusterManagementAddOn | undefined): boolean {
  return managementAddon !== undefined && supportsTemplates(managementAddon)
}

/** Templates depend on nothing outside of the hub. */
function neverTriggered(addons: Informer<ManagedClusterAddOn>): Wake {
  return { informer: addons as unknown as Informer, start: () => () => undefined, resync: () => undefined }
}
