import { ManagedClusterSet } from '@orrery/api'
import { Namespace, SubjectAccessReview, type SubjectAccessReviewSpec } from '@orrery/kinds'
import { internalError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'

/** The requests that rules send to the hub. */
export interface HubQueries {
  /** Whether a user has a permission. */
  authorize(review: SubjectAccessReviewSpec): Promise<boolean>
  /** Whether a namespace is terminating. False if it does not exist. */
  isTerminating(namespace: string): Promise<boolean>
  clusterSets(): Promise<readonly ManagedClusterSet[]>
}

/** Queries the hub's API server, once there is a client. If a query fails, the request is denied. */
export function hubQueries(client: KubeClient | Promise<KubeClient>): HubQueries {
  return {
    async authorize(spec) {
      const { status } = await answered(async () => (await client).create(SubjectAccessReview, { metadata: {}, spec }))
      return status?.allowed === true
    },
    async isTerminating(name) {
      const namespace = await answered(async () => (await client).find(Namespace, { name }))
      return namespace?.status?.phase === 'Terminating'
    },
    async clusterSets() {
      const { items } = await answered(async () => (await client).list(ManagedClusterSet))
      return items
    },
  }
}

/** A failed query is a server error, which clients may retry. */
async function answered<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query()
  } catch (error) {
    throw internalError(`cannot query the hub about the request: ${(error as Error).message}`)
  }
}
