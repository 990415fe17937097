import type { Secret } from '@orrery/kinds/core'
import type { Validity } from './certificate.js'
import { secretText } from './secret-data.js'

/** The key of a Secret with a service account token. */
export const TOKEN_KEY = 'token'

/** A service account token: when it is valid, and the uid of its account. */
export interface TokenClaims extends Validity {
  readonly serviceAccountUid: string | undefined
}

/** The share of its lifetime that is left when a token is renewed. */
const RENEWAL_SHARE = 0.2

/** The claims of the token in a Secret; undefined if it has none that can be read. */
export function tokenIn(secret: Secret | undefined): TokenClaims | undefined {
  const token = secretText(secret, TOKEN_KEY)
  return token === undefined ? undefined : claimsOf(token)
}

/** The claims of a JSON Web Token, without a check of its signature; undefined if it has no lifetime. */
export function claimsOf(token: string): TokenClaims | undefined {
  const [, payload, signature, ...more] = token.split('.')
  if (payload === undefined || signature === undefined || more.length > 0) return undefined
  const claims = jsonOf(payload)
  const { iat, exp } = claims
  if (typeof iat !== 'number' || typeof exp !== 'number' || !(exp > iat)) return undefined
  return {
    notBefore: new Date(iat * 1_000),
    notAfter: new Date(exp * 1_000),
    renewAt: new Date((exp - RENEWAL_SHARE * (exp - iat)) * 1_000),
    serviceAccountUid: claims['kubernetes.io']?.serviceaccount?.uid,
  }
}

interface Claims {
  readonly iat?: unknown
  readonly exp?: unknown
  readonly 'kubernetes.io'?: { readonly serviceaccount?: { readonly uid?: string } }
}

function jsonOf(payload: string): Claims {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
