import { failure, type KubeClient, tooManyRequests, unauthorized } from '@orrery/kube'
import { SubjectAccessReview, TokenReview } from '@orrery/kube/kinds'

/** Lets pass whoever may read metrics, by the `Authorization` of a request. Throws a `StatusError` at others. */
export type CheckAccess = (authorization: string | undefined) => Promise<void>

/** Whoever floods this must not keep the API server, and what else the client is for, from their work. */
const MOST_AT_ONCE = 4

/** Asks the API server who brings a token, and whether they may `get` a path, as it decides about its own. */
export function accessTo(path: string, client: KubeClient): CheckAccess {
  let underWay = 0
  return async (authorization = '') => {
    const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
    if (token === undefined) throw unauthorized()
    if (underWay >= MOST_AT_ONCE) throw tooManyRequests('too many are asking', 1)
    underWay++
    try {
      await check(client, token, path)
    } finally {
      underWay--
    }
  }
}

async function check(client: KubeClient, token: string, path: string): Promise<void> {
  const { status: review } = await asked(client.create(TokenReview, { metadata: {}, spec: { token } }))
  if (review?.authenticated !== true) throw unauthorized()
  const { username: user = '', uid = '', groups = [], extra = {} } = review.user ?? {}
  const spec = { user, uid, groups, extra, nonResourceAttributes: { path, verb: 'get' } }
  const { status } = await asked(client.create(SubjectAccessReview, { metadata: {}, spec }))
  if (status?.allowed === true) return
  throw failure(403, 'Forbidden', `User ${JSON.stringify(user)} cannot get path ${JSON.stringify(path)}`)
}

/** What the API server has against being asked is for the log, and not for whoever knocks. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new Error('the API server could not be asked who may read metrics', { cause: error })
  }
}
