import { createHash } from 'node:crypto'
import { WORK_GROUP } from '@orrery/api'
import { StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { type Logger, silentLogger } from '@orrery/kube/log'
import { type AccessAttributes, RecentResults, reviewAccess, reviewUser } from '@orrery/kube/serving'
import { MaestroError } from '../errors.js'
import type { Caller } from './access.js'

/** Asks who has a token and what a caller may do. */
export interface Reviewer {
  /** Undefined if the token is not valid. */
  callerOfToken(authorization: string): Promise<Caller | undefined>
  mayAccess(caller: Caller, verb: string, path: string): Promise<boolean>
  /** The path that a rule of Kubernetes has to allow for a path of this server. */
  reviewedPath(path: string): string
  /** Whether the agent is registered on an Open Cluster Management hub: it has permission for the works of its cluster. */
  isRegistered(agent: Caller, cluster: string): Promise<boolean>
}

/** As long as Kubernetes' own delegated authentication and authorisation remember. */
const TRUST_MS = 10_000
const REFUSAL_MS = 2_000
const MAX_CALLERS = 10_000

/**
 * The ClusterRole `system:discovery` lets every user of a Kubernetes cluster `get` all paths below `/api`. So those of the REST API
 * are reviewed without it: `/maestro/v1/consumers`.
 */
const DISCOVERY = /^\/api(?=\/)/

/** Reviews tokens and access by the API of a Kubernetes cluster, and remembers the answers for ten seconds. */
export function kubernetesReviewer(
  client: KubeClient,
  clock: Clock = systemClock,
  log: Logger = silentLogger,
): Reviewer {
  /** An API that cannot be reached is no refusal: the client retries. The cause is for the log of this server. */
  async function reviewed<T>(api: 'TokenReview' | 'SubjectAccessReview', answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      log.warn('a review cannot be made', { api, error: (error as Error).cause ?? error })
      throw new MaestroError('Unavailable', `the ${api} API of Kubernetes did not answer: try again`, { cause: error })
    }
  }
  const lifetime = (isGood: boolean) => (isGood ? TRUST_MS : REFUSAL_MS)
  const callers = new RecentResults<Caller | undefined>(clock, (caller) => lifetime(caller !== undefined), MAX_CALLERS)
  const accesses = new RecentResults<boolean>(clock, lifetime, MAX_CALLERS)
  const mayDo = ({ user, groups }: Caller, attributes: AccessAttributes): Promise<boolean> => {
    const review = async () => {
      const { allowed } = await reviewAccess(client, { username: user, groups: [...groups] }, attributes)
      return allowed
    }
    const key = JSON.stringify([user, groups, attributes])
    return accesses.get(key, () => reviewed('SubjectAccessReview', review()))
  }
  return {
    callerOfToken(authorization) {
      // Tokens are not kept in memory longer than a request.
      const key = createHash('sha256').update(authorization).digest('base64')
      return callers.get(key, () => reviewed('TokenReview', callerOfToken(client, authorization)))
    },
    mayAccess: (caller, verb, path) => mayDo(caller, { nonResourceAttributes: { path: reviewedPath(path), verb } }),
    reviewedPath,
    isRegistered: (agent, namespace) =>
      mayDo(agent, { resourceAttributes: { group: WORK_GROUP, resource: 'manifestworks', verb: 'watch', namespace } }),
  }
}

function reviewedPath(path: string): string {
  return path.replace(DISCOVERY, '')
}

async function callerOfToken(client: KubeClient, authorization: string): Promise<Caller | undefined> {
  try {
    const { username = '', groups = [] } = await reviewUser(client, authorization)
    return username === '' ? undefined : { user: username, groups }
  } catch (error) {
    if (error instanceof StatusError && error.code === 401) return undefined
    throw error
  }
}
