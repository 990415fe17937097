import { TokenReview } from '@orrery/kinds/authentication'
import { SubjectAccessReview } from '@orrery/kinds/authorization'
import { failure, tooManyRequests, unauthorized } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'

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
  let inFlight = 0
  return async (authorization = '') => {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
    if (token === undefined) throw unauthorized()
    if (inFlight >= MAX_REVIEWS) throw tooManyRequests('too many concurrent requests for metrics', 1)
    inFlight++
    try {
      await review(client, token, path)
    } finally {
      inFlight--
    }
  }
}

async function review(client: KubeClient, token: string, path: string): Promise<void> {
  const { status: authentication } = await reviewed(client.create(TokenReview, { metadata: {}, spec: { token } }))
  if (authentication?.authenticated !== true) throw unauthorized()
  const { username: user = '', uid = '', groups = [], extra = {} } = authentication.user ?? {}
  const spec = { user, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } }
  const { status } = await reviewed(client.create(SubjectAccessReview, { metadata: {}, spec }))
  if (status?.allowed === true) return
  throw failure(403, 'Forbidden', `User ${JSON.stringify(user)} cannot get path ${JSON.stringify(path)}`)
}

/** The reason of a failed review is for the log, not for an unknown client. */
async function reviewed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new Error('cannot review access to metrics', { cause: error })
  }
}
