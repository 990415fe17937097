import {
  configFor,
  isOwnedByWork,
  type ManifestChange,
  type ManifestResourceMeta,
  type ManifestWork,
} from '@orrery/api'

/** An object that a cluster deletes because its work no longer contains it. */
export interface RemovedObject {
  readonly action: 'Delete'
  readonly resourceMeta: ManifestResourceMeta
}

/**
 * The objects of a work, whole or in parts, that are not in the changes, without those that the work orphans or only reads.
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

/** By kind, since a manifest that the cluster rejects may have no resource. The API version does not count. */
function keyOf({ group = '', kind = '', namespace = '', name = '' }: ManifestResourceMeta): string {
  return [group, kind, namespace, name].join('/')
}
