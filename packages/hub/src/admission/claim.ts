import type { ResourceAttributes } from '@orrery/kinds'
import type { StatusError } from '@orrery/kinds/values'
import type { Inquiries } from './inquiries.js'
import type { Requester } from './write.js'

/** A right that a writer needs besides the right to write the object itself. */
export interface Claim {
  readonly attributes: ResourceAttributes
  /** The error for a writer who does not have it. */
  readonly refusal: (username: string) => StatusError
}

/** Refuses the write unless the writer has all of these rights. */
export async function requireClaims(claims: readonly Claim[], user: Requester, inquiries: Inquiries): Promise<void> {
  for (const { attributes, refusal } of claims) {
    const allowed = await inquiries.authorize({ ...subjectOf(user), resourceAttributes: attributes })
    if (!allowed) throw refusal(user.username)
  }
}

function subjectOf({ username, uid, groups, extra }: Requester) {
  const copy = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]))
  return { user: username, uid, groups: [...groups], extra: copy }
}
