import type { KubeObject } from '@orrery/kinds'
import { badRequest, formatTime } from '@orrery/kinds/values'
import type { Identity } from '../identity/identity.js'
import type { Authenticator } from './authenticator.js'

/** Returns the `UserInfo` of the authentication API, without empty fields. */
export function userInfo({ username, uid, groups, extra }: Identity): Record<string, unknown> {
  return {
    ...(username === '' ? {} : { username }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

/** Answers a TokenReview. The token is not logged. */
export async function reviewToken(review: KubeObject, authenticator: Authenticator): Promise<KubeObject> {
  const { token = '', audiences = [] } = (review.spec ?? {}) as { token?: string; audiences?: readonly string[] }
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const answer = await authenticator.review(token, audiences)
  const status =
    'error' in answer
      ? { user: {}, error: answer.error }
      : {
          authenticated: true,
          user: userInfo(answer.identity),
          ...(answer.audiences === undefined ? {} : { audiences: answer.audiences }),
        }
  return { ...review, status }
}

/** Answers a SelfSubjectReview (`kubectl auth whoami`). */
export function reviewSelf(review: KubeObject, identity: Identity, now: Date): KubeObject {
  return {
    kind: review.kind,
    apiVersion: review.apiVersion,
    metadata: { creationTimestamp: formatTime(now) },
    status: { userInfo: userInfo(identity) },
  }
}
