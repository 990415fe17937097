import { ConfigNotReady } from '@orrery/addon'
import {
  AddOnTemplate,
  type ClusterManagementAddOn,
  type DefaultConfigReference,
  type ManagedClusterAddOn,
} from '@orrery/api'
import { notFound } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'

const { group, plural: resource } = AddOnTemplate

/** Whether a ClusterManagementAddOn supports templates: then it has no controller of its own. */
export function supportsTemplates({ spec }: ClusterManagementAddOn): boolean {
  return spec?.defaultConfigs?.some((config) => config.group === group && config.resource === resource) ?? false
}

/** An add-on refers to a template of another add-on. Its agents would get the permissions and certificates of that one. */
export class ForeignTemplate extends Error {
  constructor({ metadata, spec }: AddOnTemplate, addonName: string) {
    super(
      `AddOnTemplate ${JSON.stringify(metadata.name)} has spec.addonName ${JSON.stringify(spec.addonName)} and cannot be used for ` +
        `add-on ${JSON.stringify(addonName)}: refer to a template of ${JSON.stringify(addonName)}`,
    )
    this.name = 'ForeignTemplate'
  }
}

/** The AddOnTemplate that an add-on should use on a cluster. Throws while there is none, or if it is of another add-on. */
export function desiredTemplate(
  templates: Informer<AddOnTemplate>,
  { metadata, status }: ManagedClusterAddOn,
): AddOnTemplate {
  const found = referencedTemplate(templates, metadata.name, status?.configReferences ?? [])
  if (found === undefined) throw new Error(`addon ${metadata.namespace}/${metadata.name} template not found in status`)
  return found
}

/** The default AddOnTemplate of an add-on; undefined if there is none, or if it is of another add-on. */
export function defaultTemplate(
  templates: Informer<AddOnTemplate>,
  { metadata, status }: ClusterManagementAddOn,
): AddOnTemplate | undefined {
  const name = nameIn(status?.defaultConfigReferences ?? [])?.name
  const template = name === undefined ? undefined : templates.get({ name })
  return template?.spec.addonName === metadata.name ? template : undefined
}

function referencedTemplate(
  templates: Informer<AddOnTemplate>,
  addonName: string,
  references: readonly DefaultConfigReference[],
): AddOnTemplate | undefined {
  const desired = nameIn(references)
  if (desired === undefined) return undefined
  if ((desired.specHash ?? '') === '') throw new ConfigNotReady(addonName, 'template')
  const template = templates.get({ name: desired.name })
  if (template === undefined) throw notFound({ group, resource }, desired.name)
  if (template.spec.addonName !== addonName) throw new ForeignTemplate(template, addonName)
  return template
}

function nameIn(references: readonly DefaultConfigReference[]) {
  return references.find((reference) => reference.group === group && reference.resource === resource)?.desiredConfig
}
