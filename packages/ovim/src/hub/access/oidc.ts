import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { unauthorized } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import type { Caller, TokenVerifier } from './identity.js'

/** An OpenID Connect issuer whose tokens users may present. The names are those of kube-apiserver's `--oidc-*` flags. */
export interface OidcOptions {
  readonly issuerUrl: string
  /** The audience that tokens must have. */
  readonly clientId: string
  /** The claim with the name of the user. Default `sub`. */
  readonly usernameClaim?: string
  /** Put before the name, so that nobody takes the name of another user. Default: the issuer and `#`. */
  readonly usernamePrefix?: string
  /** Default `groups`. */
  readonly groupsClaim?: string
  /** Default `oidc:`. */
  readonly groupsPrefix?: string
  /** Default the system's. */
  readonly fetch?: typeof fetch
}

interface Claims {
  readonly iss?: unknown
  readonly aud?: unknown
  readonly exp?: unknown
  readonly nbf?: unknown
  readonly [claim: string]: unknown
}

/** How each algorithm is verified. Symmetric ones are not accepted: the hub has no secret of the issuer. */
const ALGORITHMS: Readonly<Record<string, { readonly hash: string; readonly type: string; readonly ieee?: true }>> = {
  RS256: { hash: 'sha256', type: 'rsa' },
  RS384: { hash: 'sha384', type: 'rsa' },
  RS512: { hash: 'sha512', type: 'rsa' },
  ES256: { hash: 'sha256', type: 'ec', ieee: true },
  ES384: { hash: 'sha384', type: 'ec', ieee: true },
  ES512: { hash: 'sha512', type: 'ec', ieee: true },
}
const SKEW_SECONDS = 10
/** An unknown key is looked up at most this often, so that invalid tokens do not flood the issuer. */
const KEYS_REFRESH_MS = 10_000
const FETCH_TIMEOUT_MS = 10_000
const RESERVED = 'system:'

/** Verifies tokens of an issuer by its published keys. */
export function oidcVerifier(options: OidcOptions, clock: Clock, log: Logger): TokenVerifier {
  const { issuerUrl, clientId, usernameClaim = 'sub', groupsClaim = 'groups', groupsPrefix = 'oidc:' } = options
  const { usernamePrefix = `${issuerUrl}#` } = options
  const keys = new IssuerKeys(issuerUrl, options.fetch ?? fetch, clock, log)
  return async (token) => {
    const [header = '', payload = '', signature = '', ...more] = token.split('.')
    const claims = jsonOf(payload) as Claims | undefined
    // Tokens of others, such as those of service accounts, are for the API server.
    if (claims?.iss !== issuerUrl || more.length > 0) return undefined
    const { alg, kid, crit } = (jsonOf(header) ?? {}) as { alg?: unknown; kid?: unknown; crit?: unknown }
    const algorithm = typeof alg === 'string' && Object.hasOwn(ALGORITHMS, alg) ? ALGORITHMS[alg] : undefined
    if (algorithm === undefined || crit !== undefined) throw unauthorized()
    const key = await keys.get(typeof kid === 'string' ? kid : '')
    if (key === undefined || key.asymmetricKeyType !== algorithm.type) throw unauthorized()
    const signed = Buffer.from(`${header}.${payload}`)
    const options = algorithm.ieee ? { key, dsaEncoding: 'ieee-p1363' as const } : key
    if (!verify(algorithm.hash, signed, options, Buffer.from(signature, 'base64url'))) throw unauthorized()
    if (!isCurrent(claims, clock.now()) || ![claims.aud].flat().includes(clientId)) throw unauthorized()
    const username = claims[usernameClaim]
    // An unverified address can be anybody's.
    if (usernameClaim === 'email' && claims.email_verified !== undefined && claims.email_verified !== true)
      throw unauthorized()
    if (typeof username !== 'string' || username === '') throw unauthorized()
    const groups = [claims[groupsClaim] ?? []].flat().filter((group) => typeof group === 'string')
    return callerOf(
      `${usernamePrefix}${username}`,
      groups.map((group) => `${groupsPrefix}${group}`),
    )
  }
}

function callerOf(username: string, groups: readonly string[]): Caller {
  // Names of Kubernetes itself come from the API server only.
  if (username.startsWith(RESERVED)) throw unauthorized()
  return { username, groups: [...groups.filter((group) => !group.startsWith(RESERVED)), 'system:authenticated'] }
}

function isCurrent({ exp, nbf }: Claims, now: Date): boolean {
  const seconds = now.getTime() / 1_000
  if (typeof exp !== 'number' || seconds > exp + SKEW_SECONDS) return false
  return nbf === undefined || (typeof nbf === 'number' && seconds >= nbf - SKEW_SECONDS)
}

function jsonOf(part: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The signing keys of an issuer, fetched again when a token names an unknown one. */
class IssuerKeys {
  readonly #issuer: string
  readonly #fetch: typeof fetch
  readonly #clock: Clock
  readonly #log: Logger
  #keys = new Map<string, KeyObject>()
  #fetchedAt = Number.NEGATIVE_INFINITY
  #fetching: Promise<void> | undefined

  constructor(issuer: string, fetcher: typeof fetch, clock: Clock, log: Logger) {
    this.#issuer = issuer
    this.#fetch = fetcher
    this.#clock = clock
    this.#log = log
  }

  async get(id: string): Promise<KeyObject | undefined> {
    const known = this.#find(id)
    if (known !== undefined || this.#clock.elapsed() < this.#fetchedAt + KEYS_REFRESH_MS) return known
    this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = undefined
    })
    await this.#fetching
    return this.#find(id)
  }

  /** Issuers with one key may leave out its id. */
  #find(id: string): KeyObject | undefined {
    return id === '' && this.#keys.size === 1 ? [...this.#keys.values()][0] : this.#keys.get(id)
  }

  async #refresh(): Promise<void> {
    try {
      const discovery = await this.#json(`${this.#issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`)
      if (discovery.issuer !== this.#issuer)
        throw new Error(`the document is of issuer ${JSON.stringify(discovery.issuer)}`)
      const { keys } = await this.#json(String(discovery.jwks_uri))
      const usable = (Array.isArray(keys) ? keys : []).filter(({ use }) => use === undefined || use === 'sig')
      this.#keys = new Map(usable.map((jwk) => [String(jwk.kid ?? ''), createPublicKey({ key: jwk, format: 'jwk' })]))
    } catch (error) {
      this.#log.warn('cannot read the keys of the OIDC issuer', { issuer: this.#issuer, error })
    }
    this.#fetchedAt = this.#clock.elapsed()
  }

  async #json(url: string): Promise<Record<string, unknown>> {
    const response = await this.#fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: 'error' })
    if (!response.ok) throw new Error(`${url} was answered with ${response.status}`)
    return (await response.json()) as Record<string, unknown>
  }
}
