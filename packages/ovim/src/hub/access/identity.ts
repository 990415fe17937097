import type { IncomingMessage } from 'node:http'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import type { UserInfo } from '@orrery/kinds'
import { StatusError, unauthorized } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { reviewUser } from '@orrery/kube/serving'
import type { RecentAnswers } from './recent-answers.js'

/** Who sent a request, as the hub's API server knows them. */
export interface Caller extends UserInfo {
  readonly username: string
}

/** Finds out who sent a request. Throws a 401 if nobody can tell. */
export type Authenticate = (request: IncomingMessage) => Promise<Caller>

/** Knows the tokens of an issuer besides the API server. Undefined for tokens of others. */
export type TokenVerifier = (token: string) => Promise<Caller | undefined>

export interface AuthenticationOptions {
  /** Reviews tokens. */
  readonly client: KubeClient
  readonly answers: RecentAnswers
  /** OIDC issuers. */
  readonly verifiers: readonly TokenVerifier[]
}

/**
 * Authenticates by bearer token or by client certificate. Tokens are those of the hub's API server, and of the configured OIDC issuers.
 * A token says more than the certificate of a proxy, so it comes first.
 */
export function authentication({ client, answers, verifiers }: AuthenticationOptions): Authenticate {
  const callerOfToken = async (authorization: string): Promise<Caller> => {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(authorization) ?? []
    if (token === '') throw unauthorized()
    for (const verify of verifiers) {
      const caller = await verify(token)
      if (caller !== undefined) return caller
    }
    const user = await answers.user(authorization, () => reviewUser(client, authorization))
    return named(user)
  }
  return async ({ headers: { authorization }, socket }) => {
    if (authorization !== undefined) return callerOfToken(authorization)
    const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>
    const certificate = authorized === true ? getPeerCertificate?.call(socket) : undefined
    return named(certificate && userOf(certificate))
  }
}

/** The common name is the user, the organizations are the groups, as in Kubernetes. */
function userOf({ subject }: PeerCertificate): UserInfo {
  // A subject can have several values of a name, and old certificates can have no subject.
  const { CN, O } = (subject ?? {}) as Partial<Record<'CN' | 'O', string | string[]>>
  const [username = ''] = [CN ?? ''].flat()
  return { username, groups: [...[O ?? []].flat(), 'system:authenticated'] }
}

function named(user: UserInfo | undefined): Caller {
  const { username = '' } = user ?? {}
  if (username === '' || username === 'system:anonymous') throw unauthorized()
  return { ...user, username }
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof StatusError && error.code === 401
}
