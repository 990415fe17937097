import { createHash } from 'node:crypto'
import type { UserInfo } from '@orrery/kinds'
import { serviceUnavailable } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { RecentResults } from '@orrery/kube/serving'
import { isUnauthorized } from './identity.js'

/** As long as Kubernetes' own delegated authentication and authorization remember. */
const TRUST_MS = 10_000
const REFUSAL_MS = 2_000
const MAX_ANSWERS = 20_000

/** The answers of the API server about tokens and permissions, remembered for ten seconds. */
export class RecentAnswers {
  readonly #users: RecentResults<UserInfo | Error>
  readonly #permissions: RecentResults<boolean>

  constructor(clock: Clock) {
    this.#users = new RecentResults(clock, (user) => (user instanceof Error ? REFUSAL_MS : TRUST_MS), MAX_ANSWERS)
    this.#permissions = new RecentResults(clock, (allowed) => (allowed ? TRUST_MS : REFUSAL_MS), MAX_ANSWERS)
  }

  /** The user of a token. Throws the 401 for an invalid one. */
  async user(authorization: string, review: () => Promise<UserInfo>): Promise<UserInfo> {
    // Tokens are not kept in memory longer than a request.
    const key = createHash('sha256').update(authorization).digest('base64')
    const answer = await this.#users.get(key, () => reviewed(refusalAsValue(review())))
    if (answer instanceof Error) throw answer
    return answer
  }

  permission(key: string, review: () => Promise<boolean>): Promise<boolean> {
    return this.#permissions.get(key, () => reviewed(review()))
  }
}

async function refusalAsValue(review: Promise<UserInfo>): Promise<UserInfo | Error> {
  try {
    return await review
  } catch (error) {
    if (isUnauthorized(error)) return error as Error
    throw error
  }
}

/** An API server that cannot be reached is no refusal: the client retries. */
async function reviewed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw Object.assign(serviceUnavailable('access cannot be reviewed at the moment: try again'), { cause: error })
  }
}
