import {
  configFor,
  isOwnedByWork,
  type ManifestChange,
  type ManifestResourceMeta,
  type ManifestWork,
} from '@orrery/api'

/** An object that a cluster deletes, since the work that has it would not have it any more. */
export interface RemovedObject {
  readonly action: 'Delete'
  readonly resourceMeta: ManifestResourceMeta
}

/**
 * The objects of a work, whole or in parts, that none of the changes is about. Those that the work leaves behind, or only
 * reads, are not among them.
 */
export function removedObjects(parts: readonly ManifestWork[], changes: readonly ManifestChange[]): RemovedObject[] {
  const kept = new Set(changes.map(({ resourceMeta }) => keyOf(resourceMeta)))
  return parts.flatMap(({ spec, status }) =>
    (status?.resourceStatus?.manifests ?? []).flatMap(({ resourceMeta }) => {
      const { group = '', resource = '', namespace = '', name = '' } = resourceMeta
      const object = { group, resource, namespace, name }
      if (resource === '' || kept.has(keyOf(resourceMeta)) || !isOwnedByWork(object, spec?.deleteOption)) return []
      if (configFor(object, spec?.manifestConfigs)?.updateStrategy?.type === 'ReadOnly') return []
      return [{ action: 'Delete' as const, resourceMeta }]
    }),
  )
}

/** By its kind: a manifest that a cluster refuses may have no resource. The version of its API does not count. */
function keyOf({ group = '', kind = '', namespace = '', name = '' }: ManifestResourceMeta): string {
  return [group, kind, namespace, name].join('/')
}
