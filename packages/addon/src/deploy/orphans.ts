import { DELETION_ORPHAN_ANNOTATION, type DeleteOption, type OrphaningRule } from '@orrery/api'
import type { Manifest } from '../agent-addon.js'
import { groupOf } from './manifests.js'

/** The delete option of works with manifests whose objects stay when the add-on is deleted. */
export function deleteOptionOf(manifests: readonly Manifest[]): DeleteOption | undefined {
  const orphaningRules = manifests
    .filter(({ metadata }) => Object.hasOwn(metadata.annotations ?? {}, DELETION_ORPHAN_ANNOTATION))
    .map(orphaningRule)
  if (orphaningRules.length === 0) return undefined
  return { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules } }
}

function orphaningRule(manifest: Manifest): OrphaningRule {
  const { kind, metadata } = manifest
  const { name = '', namespace } = metadata
  return {
    group: groupOf(manifest),
    resource: resourceOf(kind),
    name,
    ...(namespace !== undefined && { namespace }),
  }
}

/** The resource of a kind by its name, as Kubernetes' own clients guess it: the cluster is not asked. */
function resourceOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (singular.endsWith('endpoints')) return singular
  if (singular.endsWith('s')) return `${singular}es`
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
