import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE_LABEL,
  type EmbeddedObject,
  ManagedClusterAddOn,
  type NewManifestWork,
} from '@orrery/api'
import { ownerReferenceTo } from '@orrery/kube'
import type { Manifest, NewManifestConfig } from '../agent-addon.js'
import { configHashAnnotation } from './config-hash.js'
import { deleteOptionOf } from './orphans.js'
import type { PlacedWork } from './placement.js'

/** What the works of an add-on for one cluster share. */
export interface WorkTemplate {
  readonly addon: ManagedClusterAddOn
  /** The namespace of the cluster. */
  readonly namespace: string
  readonly manifestConfigs: readonly NewManifestConfig[]
}

/** The works that deploy an add-on. */
export function deployDrafts(template: WorkTemplate, works: readonly PlacedWork[]): NewManifestWork[] {
  const annotations = configHashAnnotation(template.addon.status?.configReferences)
  // Every work has the rules of all manifests, so that they stay the same when a manifest moves.
  const deleteOption = deleteOptionOf(works.flatMap(({ manifests }) => manifests))
  return works.map((work) => {
    const draft = workDraft(template, work)
    return {
      ...draft,
      metadata: { ...draft.metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
      spec: { ...draft.spec, ...(deleteOption !== undefined && { deleteOption }) },
    }
  })
}

/**
 * A work of an add-on. In the namespace of its add-on it is deleted with it. In another one it cannot have an owner, and has the
 * namespace of the add-on in a label.
 */
export function workDraft(template: WorkTemplate, { name, manifests }: PlacedWork): NewManifestWork {
  const { addon, namespace, manifestConfigs } = template
  const isBesideAddon = namespace === addon.metadata.namespace
  return {
    metadata: {
      name,
      namespace,
      labels: {
        [ADDON_NAME_LABEL]: addon.metadata.name,
        ...(!isBesideAddon && { [ADDON_NAMESPACE_LABEL]: addon.metadata.namespace }),
      },
      ...(isBesideAddon && {
        ownerReferences: [ownerReferenceTo(addon, ManagedClusterAddOn, { controller: true })],
      }),
    },
    spec: {
      workload: { manifests: manifests.map(embedded) },
      ...(manifestConfigs.length > 0 && { manifestConfigs }),
    },
  }
}

function embedded(manifest: Manifest): EmbeddedObject {
  return manifest as unknown as EmbeddedObject
}
