import { hash } from 'node:crypto'
import { unauthorized } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { TrustRoots } from '@orrery/kube/pki'
import { ANONYMOUS, AUTHENTICATED, type Identity, UNAUTHENTICATED } from '../identity/identity.js'
import { verifyBootstrapToken } from './bootstrap-token.js'
import { type PeerCertificate, verifyClientCertificate } from './client-certificate.js'
import { CredentialCache } from './credential-cache.js'
import {
  type Authenticated,
  CredentialRefused,
  type CredentialResource,
  type FindObject,
  objectKey,
} from './credentials.js'
import type { VerificationKey } from './jwt.js'
import { type ServiceAccountTokenOptions, verifyServiceAccountToken } from './service-account-token.js'

const TOKEN_LIFETIME = 10_000
const CERTIFICATE_LIFETIME = 300_000
const CAPACITY = 10_000

/** Authenticates bearer tokens of an external source. Returns undefined for unknown tokens. */
export type TokenAuthenticator = (token: string) => Identity | undefined | Promise<Identity | undefined>

export interface AuthenticatorOptions {
  /** The CAs of client certificates. */
  readonly roots: TrustRoots
  readonly clock: Clock
  readonly findObject: FindObject
  readonly issuers: readonly string[]
  readonly audiences: readonly string[]
  readonly serviceAccountKeys: readonly VerificationKey[]
  /** Further authenticators for unknown tokens, in order. */
  readonly extra?: readonly TokenAuthenticator[]
  /** Whether requests without credentials are `system:anonymous`. Defaults to true. */
  readonly allowAnonymous?: boolean
}

/** The credentials of a request. */
export interface PresentedCredentials {
  readonly certificate: PeerCertificate | undefined
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** The bearer token among the subprotocols of a WebSocket request. Throws a 401 for an invalid one. */
  readonly webSocketToken?: () => string | undefined
}

/** The result of a token review. */
export type TokenAnswer =
  | { readonly identity: Identity; readonly audiences: readonly string[] | undefined }
  | { readonly error: string }

/**
 * Authenticates requests. A client certificate takes precedence over a bearer token; an invalid one is ignored if the
 * other is valid. Invalid credentials are a 401; without credentials the request is anonymous.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #serviceAccounts: ServiceAccountTokenOptions
  readonly #extra: readonly TokenAuthenticator[]
  readonly #tokens: CredentialCache
  readonly #certificates: CredentialCache
  /** Saves computing the fingerprint on open connections. */
  readonly #connections = new WeakMap<PeerCertificate, string>()

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#extra = options.extra ?? []
    this.#tokens = new CredentialCache(options.clock, TOKEN_LIFETIME, CAPACITY)
    this.#certificates = new CredentialCache(options.clock, CERTIFICATE_LIFETIME, CAPACITY)
    const { issuers, audiences, serviceAccountKeys, findObject } = options
    this.#serviceAccounts = { issuers, audiences, keys: serviceAccountKeys, findObject }
  }

  /** Returns the identity of a request. Throws a 401, or rejects with it if a further authenticator is asynchronous. */
  authenticate({ certificate, authorization, webSocketToken }: PresentedCredentials): Identity | Promise<Identity> {
    let refused = false
    if (certificate !== undefined) {
      try {
        const identity = this.#byCertificate(certificate)
        if (identity !== undefined) return identity
      } catch (error) {
        if (!(error instanceof CredentialRefused)) throw error
        refused = true
      }
    }
    const token = (authorization === undefined ? undefined : bearerToken(authorization)) ?? webSocketToken?.()
    if (token !== undefined) return this.#byToken(token)
    if (refused || this.#options.allowAnonymous === false) throw unauthorized()
    return ANONYMOUS
  }

  /** Returns the owner of a token and its matching `audiences` (default: those of this server), for a TokenReview. */
  async review(token: string, audiences: readonly string[] = []): Promise<TokenAnswer> {
    const wanted = audiences.length === 0 ? this.#options.audiences : audiences
    // A token that a header cannot carry is invalid.
    if (bearerToken(`Bearer ${token}`) !== token) return { error: INVALID_TOKEN }
    try {
      const proven = this.#verifyToken(token, wanted)
      if (proven !== undefined) return answer(proven)
      const identity = await this.#askExtra(token)
      return identity === undefined ? { error: INVALID_TOKEN } : answer({ identity, dependsOn: [] })
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error
      return { error: `[${INVALID_TOKEN}, ${error.message}]` }
    }
  }

  /** Call this when an object that credentials depend on was changed or deleted. */
  forget(resource: CredentialResource, namespace: string, name: string): void {
    this.#tokens.forget(objectKey(resource, namespace, name))
  }

  #byCertificate(certificate: PeerCertificate): Identity | undefined {
    let fingerprint = this.#connections.get(certificate)
    if (fingerprint === undefined) {
      fingerprint = hash('sha256', certificate.raw, 'base64')
      this.#connections.set(certificate, fingerprint)
    }
    const known = this.#certificates.get(fingerprint)
    if (known !== undefined) return known
    const proven = verifyClientCertificate(certificate, this.#options.roots, this.#options.clock.now())
    return proven && this.#remember(this.#certificates, fingerprint, proven)
  }

  #byToken(token: string): Identity | Promise<Identity> {
    const fingerprint = hash('sha256', token, 'base64')
    const known = this.#tokens.get(fingerprint)
    if (known !== undefined) return known
    let proven: Authenticated | undefined
    try {
      proven = this.#verifyToken(token, this.#options.audiences)
    } catch (error) {
      if (error instanceof CredentialRefused) throw unauthorized()
      throw error
    }
    if (proven !== undefined) return this.#remember(this.#tokens, fingerprint, proven)
    if (this.#extra.length === 0) throw unauthorized()
    return this.#askExtra(token).then((identity) => {
      if (identity === undefined) throw unauthorized()
      return this.#remember(this.#tokens, fingerprint, { identity, dependsOn: [] })
    })
  }

  /** Tokens without an audience are only for this server. */
  #verifyToken(token: string, wanted: readonly string[]): Authenticated | undefined {
    const { clock, findObject, audiences } = this.#options
    const now = clock.now()
    const proven = verifyServiceAccountToken(token, wanted, now, this.#serviceAccounts)
    if (proven !== undefined) return proven
    const own = audiences.filter((audience) => wanted.includes(audience))
    const bootstrap = own.length === 0 ? undefined : verifyBootstrapToken(token, now, findObject)
    return bootstrap && { ...bootstrap, audiences: own }
  }

  async #askExtra(token: string): Promise<Identity | undefined> {
    for (const authenticate of this.#extra) {
      const identity = await authenticate(token)
      if (identity !== undefined) return identity
    }
    return undefined
  }

  #remember(cache: CredentialCache, fingerprint: string, proven: Authenticated): Identity {
    const identity = asAuthenticated(proven.identity)
    cache.add(fingerprint, { ...proven, identity })
    return identity
  }
}

const INVALID_TOKEN = 'invalid bearer token'

function answer({ identity, audiences }: Authenticated): TokenAnswer {
  return { identity: asAuthenticated(identity), audiences }
}

/** Returns the token of an `Authorization: Bearer …` header; undefined for other schemes and for an empty one. */
export function bearerToken(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 2)
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

/** Every authenticated user is in `system:authenticated`. */
function asAuthenticated(identity: Identity): Identity {
  const { groups } = identity
  if (identity.username === ANONYMOUS.username || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED)) {
    return identity
  }
  return { ...identity, groups: [...groups, AUTHENTICATED] }
}
