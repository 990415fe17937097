import type { AppliedResource } from '@orrery/api'
import type { WatchedRef } from '../watched/types.js'

/** An applied object, as its AppliedManifestWork lists it. */
export function appliedResource(
  { group, version, resource, namespace, name }: WatchedRef,
  uid: string,
): AppliedResource {
  return { group, version, resource, ...(namespace !== '' && { namespace }), name, uid }
}

/** The reference to a listed object. */
export function refOfResource({ group = '', version, resource, namespace = '', name }: AppliedResource): WatchedRef {
  return { group, version, resource, namespace, name }
}

/** A key for an object, independent of the version it was applied in. */
export function resourceKey({ group = '', resource, namespace = '', name }: AppliedResource): string {
  return `${group}/${resource}/${namespace}/${name}`
}

/** The order of the list. */
export function sortedResources(resources: readonly AppliedResource[]): AppliedResource[] {
  const parts = ({ group = '', version, resource, namespace = '', name }: AppliedResource) => [
    group,
    version,
    resource,
    namespace,
    name,
  ]
  return resources.toSorted((a, b) => {
    const right = parts(b)
    for (const [index, left] of parts(a).entries()) {
      const other = right[index] as string
      if (left !== other) return left < other ? -1 : 1
    }
    return 0
  })
}
