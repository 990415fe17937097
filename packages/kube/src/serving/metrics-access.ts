import { failure } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { reviewAccess, reviewUser } from './access-review.js'
import { limited } from './limited.js'

/** Checks the `Authorization` header of a request. Throws a `StatusError` if the request is not allowed. */
export type CheckAccess = (authorization: string | undefined) => Promise<void>

/**
 * Limits the reviews in flight, so that a flood of requests does not slow down the API server and other users of the
 * client.
 */
const MAX_REVIEWS = 4

/**
 * Allows users who may `get` a path, with a TokenReview and a SubjectAccessReview, as API servers do for their own
 * paths.
 */
export function accessTo(path: string, client: KubeClient): CheckAccess {
  return limited(MAX_REVIEWS, 'metrics', async (authorization) => {
    const user = await reviewUser(client, authorization)
    const { allowed } = await reviewAccess(client, user, { nonResourceAttributes: { path, verb: 'get' } })
    if (allowed) return
    const who = JSON.stringify(user.username ?? '')
    throw failure(403, 'Forbidden', `User ${who} cannot get path ${JSON.stringify(path)}`)
  })
}
