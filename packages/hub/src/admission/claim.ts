import type { StatusError } from '@orrery/kube'
import type { ResourceAttributes } from '@orrery/kube/kinds'
import type { Inquiries } from './inquiries.js'
import type { Requester } from './write.js'

/** A right that a write takes besides that to the object itself. */
export interface Claim {
  readonly attributes: ResourceAttributes
  /** What those are told who do not have it. */
  readonly refusal: (username: string) => StatusError
}

/** Refuses a write of somebody who lacks one of the rights it takes. */
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
