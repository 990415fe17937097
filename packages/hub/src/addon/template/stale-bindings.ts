import { ADDON_NAME_LABEL, ADDON_TEMPLATE_LABEL, type AddOnTemplate, type ManagedClusterAddOn } from '@orrery/api'
import { RoleBinding } from '@orrery/kinds'
import { type ControllerSpec, each } from '@orrery/kube'
import { refOfObject, semanticEqual } from '@orrery/kube/write'
import type { HubContext } from '../../context.js'
import { templateBindings } from './bindings.js'
import { desiredTemplate, ForeignTemplate } from './desired-template.js'
import { ADDONS_BY_NAME, type TemplateInformers } from './template-agent.js'

const BY_ADDON = 'bindingsByAddon'

/**
 * Deletes bindings of templates that no add-on asks for any more: the template names another role, or the add-on has left all clusters.
 * Bindings of templates that are not known yet stay.
 */
export function staleBindings({ informers }: HubContext, known: TemplateInformers): ControllerSpec {
  const { addons, templates } = known
  const bindings = informers.of(RoleBinding, { labelSelector: `${ADDON_NAME_LABEL},${ADDON_TEMPLATE_LABEL}` })
  bindings.addIndex(BY_ADDON, ({ metadata }) => [metadata.labels?.[ADDON_NAME_LABEL] ?? ''])
  const bindingsOf = (addonName: string) => bindings.byIndex(BY_ADDON, addonName).map(refOfObject)
  return {
    name: 'addon-template-bindings',
    wakes: [
      each(bindings),
      each(addons, ({ metadata }) => bindingsOf(metadata.name), {
        when: ({ before, after }) => before !== undefined && !semanticEqual(references(before), references(after)),
      }),
      each(templates, ({ spec }) => bindingsOf(spec.addonName)),
    ],
    async reconcile(ref, { client, log, signal }) {
      const binding = bindings.get(ref)
      if (binding === undefined) return
      const addonName = binding.metadata.labels?.[ADDON_NAME_LABEL] ?? ''
      if (addons.byIndex(ADDONS_BY_NAME, addonName).some((addon) => mayNeed(addon, binding, templates))) return
      const { uid } = binding.metadata
      await client.ensureDeleted(RoleBinding, ref, { signal, preconditions: { uid } })
      log.info('deleted a role binding that no template asks for', { addon: addonName })
    },
  }
}

function references(addon: ManagedClusterAddOn | undefined) {
  return addon?.status?.configReferences
}

function mayNeed(
  addon: ManagedClusterAddOn,
  { metadata, roleRef }: RoleBinding,
  templates: TemplateInformers['templates'],
): boolean {
  let template: AddOnTemplate
  try {
    template = desiredTemplate(templates, addon)
  } catch (error) {
    // It cannot be known now what the add-on needs. Nothing is granted for a template of another add-on.
    return !(error instanceof ForeignTemplate)
  }
  return templateBindings(template, addon.metadata.name, addon.metadata.namespace).some(
    (wanted) =>
      wanted.namespace === metadata.namespace &&
      wanted.name === metadata.name &&
      semanticEqual(wanted.roleRef, roleRef),
  )
}
