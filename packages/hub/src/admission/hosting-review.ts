import { HOSTING_CLUSTER_ANNOTATION, WORK_GROUP } from '@orrery/api'
import type { KubeObject } from '@orrery/kinds'
import { forbidden } from '@orrery/kinds/values'
import type { AccessReview } from './access-review.js'

/** What the annotation of a write is on. */
export interface Hosted {
  readonly group: string
  readonly resource: string
  /** The cluster whose add-ons are hosted. */
  readonly cluster: string
}

/**
 * The permissions to choose another cluster to host add-ons: their controllers write works to the namespace of that cluster. The
 * annotation of a ManagedCluster is copied to its add-ons, and its agent may update the ManagedCluster.
 */
export function hostingReviews(object: KubeObject, before: KubeObject | undefined, hosted: Hosted): AccessReview[] {
  const [former, wanted] = [hostIn(before), hostIn(object)]
  if (former === wanted) return []
  const { group, resource, cluster } = hosted
  const name = object.metadata.name ?? ''
  return [former, wanted]
    .filter((host) => host !== '' && host !== cluster)
    .map((host) => ({
      attributes: { group: WORK_GROUP, resource: 'manifestworks', verb: 'create', namespace: host },
      refusal: (username) =>
        forbidden(
          { group, resource },
          name,
          `user ${JSON.stringify(username)} cannot change the annotation ${HOSTING_CLUSTER_ANNOTATION}: ` +
            `it requires the permission to create manifestworks in namespace ${JSON.stringify(host)}`,
        ),
    }))
}

function hostIn(object: KubeObject | undefined): string {
  return object?.metadata.annotations?.[HOSTING_CLUSTER_ANNOTATION] ?? ''
}
