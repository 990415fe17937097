import { MaestroError } from '../errors.js'
import type { Access, Caller } from './access.js'
import { callerOf, clusterOfAgent } from './identity.js'
import type { Reviewer } from './kubernetes.js'
import { callerOfToken, type Policy, policyAllows } from './policy.js'

export interface AccessOptions {
  /** Reviews by a Kubernetes API. */
  readonly reviewer?: Reviewer | undefined
  /** The policy at the time of a request. */
  readonly policy?: (() => Policy) | undefined
  /** Whether agents must be registered on the hub that the reviewer asks. Default false. */
  readonly registeredAgentsOnly?: boolean | undefined
  /** A path whose objects callers do not change, and what to do instead. */
  readonly unchanged?: { readonly path: string; readonly hint: string } | undefined
}

/** The user of clients when everyone may do everything. */
const ANYONE: Caller = { user: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Everyone may do everything: for ports that only this machine can reach, and for tests. */
export const openAccess: Access = {
  authenticate: () => Promise.resolve(ANYONE),
  authorize: () => Promise.resolve(),
}

const CLUSTER_PATH = /^\/clusters\/([^/]+)$/
/** More than any source, cluster or REST path has. Reviews of longer ones would be sent, remembered and answered. */
const MAX_PATH = 1_024

/**
 * Demands a client certificate or a token, and a permission for each path. Agents have permission for their own
 * cluster, and for no other, whatever a policy says.
 */
export function checkedAccess(options: AccessOptions): Access {
  const { reviewer, policy, registeredAgentsOnly = false } = options
  const callerOfHeader = async (authorization: string): Promise<Caller | undefined> =>
    (policy && callerOfToken(policy(), authorization)) ?? (await reviewer?.callerOfToken(authorization))

  return {
    async authenticate({ certificate, authorization }) {
      // A token says more than the certificate of a proxy, as in Kubernetes' front proxies.
      const caller =
        authorization !== undefined ? await callerOfHeader(authorization) : certificate && callerOf(certificate)
      if (caller !== undefined) return caller
      const problem = authorization !== undefined ? 'the token is not valid' : 'no client certificate or bearer token'
      throw new MaestroError('Unauthenticated', `Account authentication could not be verified: ${problem}`)
    },
    async authorize(caller, verb, path) {
      if (path.length > MAX_PATH) throw new MaestroError('Forbidden', `a path has at most ${MAX_PATH} characters`)
      const ownCluster = clusterOfAgent(caller)
      const [, cluster] = CLUSTER_PATH.exec(path) ?? []
      const forbidden = (why = '') =>
        new MaestroError(
          'Forbidden',
          `User ${JSON.stringify(caller.user)} cannot ${verb} path ${JSON.stringify(path)}${why}`,
        )
      if (cluster !== undefined && ownCluster !== undefined) {
        if (cluster !== ownCluster) throw forbidden(': agents act for their own cluster only')
        // A certificate stays valid after its cluster was detached.
        if (!registeredAgentsOnly || (await reviewer?.isRegistered(caller, cluster)) === true) return
        throw forbidden(': the agent is not registered on the hub')
      }
      if (policy !== undefined && policyAllows(policy(), caller, verb, path)) return
      if ((await reviewer?.mayAccess(caller, verb, path)) === true) return
      throw forbidden(hintOf(options, verb, path))
    },
  }
}

/** How to get the permission, where the path of the rule is not the one of the request. */
function hintOf({ reviewer, unchanged }: AccessOptions, verb: string, path: string): string {
  if (unchanged !== undefined && verb !== 'get' && `${path}/`.startsWith(`${unchanged.path}/`))
    return `: ${unchanged.hint}`
  const reviewed = reviewer?.reviewedPath(path) ?? path
  if (reviewed === path) return ''
  return `: a ClusterRole that allows it has the nonResourceURL ${JSON.stringify(reviewed)} and the verb ${JSON.stringify(verb)}`
}
