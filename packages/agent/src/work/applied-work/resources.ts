import type { AppliedResource } from '@orrery/api'
import type { WatchedRef } from '../watched/types.js'

/** An object that a work has put on the cluster, as its AppliedManifestWork lists it. */
export function appliedResource(
  { group, version, resource, namespace, name }: WatchedRef,
  uid: string,
): AppliedResource {
  return { group, version, resource, ...(namespace !== '' && { namespace }), name, uid }
}

/** The object that is listed. */
export function refOfResource({ group = '', version, resource, namespace = '', name }: AppliedResource): WatchedRef {
  return { group, version, resource, namespace, name }
}

/** A text that is the same for the same object, whatever version it was applied in. */
export function resourceKey({ group = '', resource, namespace = '', name }: AppliedResource): string {
  return `${group}/${resource}/${namespace}/${name}`
}

/** The order in which they are listed. */
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
