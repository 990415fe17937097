import type { ResourceAttributes } from '@orrery/kinds'
import type { StatusError } from '@orrery/kinds/values'
import type { HubQueries } from './hub-queries.js'
import type { UserInfo } from './write.js'

/** A permission that a user needs besides the permission to write the object itself. */
export interface AccessReview {
  readonly attributes: ResourceAttributes
  /** The error for a user without it. */
  readonly refusal: (username: string) => StatusError
}

/** Denies the request unless the user has all of these permissions. */
export async function requireAccess(
  reviews: readonly AccessReview[],
  user: UserInfo,
  queries: HubQueries,
): Promise<void> {
  for (const { attributes, refusal } of reviews) {
    const allowed = await queries.authorize({ ...subjectOf(user), resourceAttributes: attributes })
    if (!allowed) throw refusal(user.username)
  }
}

function subjectOf({ username, uid, groups, extra }: UserInfo) {
  const copy = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))
  return { user: username, uid, groups: [...groups], extra: copy }
}
