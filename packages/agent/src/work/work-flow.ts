import { ADDON_NAME_LABEL, type ManifestWork, ORIGINAL_SOURCE_LABEL, REPLICA_SET_LABEL } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'

/**
 * Whose work it is: all works of a cluster are in one namespace of the hub. Those of the ManifestWorkReplicaSets of one namespace, of
 * an add-on and of a source of CloudEvents take turns with each other and with the rest.
 */
export function workFlow({ metadata: { labels = {} } }: Pick<ManifestWork, 'metadata'>): string {
  const { [REPLICA_SET_LABEL]: replicaSet, [ADDON_NAME_LABEL]: addon, [ORIGINAL_SOURCE_LABEL]: source } = labels
  // Its value is `namespace.name`. A namespace has no dots.
  if (replicaSet !== undefined) return `namespace ${replicaSet.split('.', 1)[0]}`
  if (addon !== undefined) return `addon ${addon}`
  return source === undefined ? '' : `source ${source}`
}

/** The flow of a work by its reference, for a controller. */
export function flowOfWork(works: Pick<Informer<ManifestWork>, 'get'>): (ref: ObjectRef) => string {
  return (ref) => {
    const work = works.get(ref)
    return work === undefined ? '' : workFlow(work)
  }
}
