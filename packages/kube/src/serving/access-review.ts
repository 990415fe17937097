import { TokenReview, type UserInfo } from '@orrery/kinds/authentication'
import { SubjectAccessReview, type SubjectAccessReviewSpec } from '@orrery/kinds/authorization'
import { unauthorized } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'

/** What a user wants to do: a verb on a resource or on a path. */
export type AccessAttributes = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>

/** The result of an access review. */
export interface ReviewedAccess {
  readonly allowed: boolean
  readonly reason: string
}

/** The user of an `Authorization` header with a bearer token, by a TokenReview. Throws a 401 without a valid token. */
export async function reviewUser(client: KubeClient, authorization = ''): Promise<UserInfo> {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  if (token === undefined) throw unauthorized()
  const { status } = await reviewed(client.create(TokenReview, { metadata: {}, spec: { token } }))
  if (status?.authenticated !== true) throw unauthorized()
  return status.user ?? {}
}

/** Whether a user may do something, by a SubjectAccessReview. */
export async function reviewAccess(
  client: KubeClient,
  { username: user = '', uid = '', groups = [], extra = {} }: UserInfo,
  attributes: AccessAttributes,
): Promise<ReviewedAccess> {
  const spec = { user, uid, groups, extra, ...attributes }
  const { status } = await reviewed(client.create(SubjectAccessReview, { metadata: {}, spec }))
  return { allowed: status?.allowed === true, reason: status?.reason ?? '' }
}

/** The reason of a failed review is for the log, not for an unknown client. */
async function reviewed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw new Error('cannot review access', { cause: error })
  }
}
