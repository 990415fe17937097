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

/** The AddOnTemplate that an add-on should use on a cluster. Throws while there is none. */
export function desiredTemplate(
  templates: Informer<AddOnTemplate>,
  { metadata, status }: ManagedClusterAddOn,
): AddOnTemplate {
  const found = referencedTemplate(templates, metadata.name, status?.configReferences ?? [])
  if (found === undefined) throw new Error(`addon ${metadata.namespace}/${metadata.name} template not found in status`)
  return found
}

/** The default AddOnTemplate of an add-on; undefined if there is none. */
export function defaultTemplate(
  templates: Informer<AddOnTemplate>,
  { status }: ClusterManagementAddOn,
): AddOnTemplate | undefined {
  const name = nameIn(status?.defaultConfigReferences ?? [])?.name
  return name === undefined ? undefined : templates.get({ name })
}

function referencedTemplate(
  templates: Informer<AddOnTemplate>,
  addonName: string,
  references: readonly DefaultConfigReference[],
): AddOnTemplate | undefined {
  const desired = nameIn(references)
  if (desired === undefined) return undefined
  if ((desired.specHash ?? '') === '') throw new Error(`addon ${addonName} template desired spec hash is empty`)
  const template = templates.get({ name: desired.name })
  if (template === undefined) throw notFound({ group, resource }, desired.name)
  return template
}

function nameIn(references: readonly DefaultConfigReference[]) {
  return references.find((reference) => reference.group === group && reference.resource === resource)?.desiredConfig
}
