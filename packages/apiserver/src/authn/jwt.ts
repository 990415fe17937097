import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { CredentialRefused } from './credentials.js'

export type Claims = Readonly<Record<string, unknown>>

interface JwsAlgorithm {
  readonly name: string
  readonly hash: string
}

const CURVE_ALGORITHM: ReadonlyMap<string, JwsAlgorithm> = new Map([
  ['prime256v1', { name: 'ES256', hash: 'sha256' }],
  ['secp384r1', { name: 'ES384', hash: 'sha384' }],
  ['secp521r1', { name: 'ES512', hash: 'sha512' }],
])

const MAX_TOKEN_LENGTH = 16_384

/** A key for verifying tokens, with its ID in token headers. */
export interface VerificationKey {
  readonly id: string
  readonly algorithm: string
  readonly key: KeyObject
}

/** Returns the public part of a key for verifiers and discovery documents. */
export function verificationKey(key: KeyObject): VerificationKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const id = createHash('sha256').update(der).digest('base64url')
  return { id, algorithm: algorithmOf(publicKey).name, key: publicKey }
}

/** Signs claims as a compact JWS (RFC 7515). */
export class TokenSigner {
  readonly #key: KeyObject
  readonly #algorithm: JwsAlgorithm
  readonly #header: string

  constructor(privateKey: KeyObject) {
    this.#key = privateKey
    this.#algorithm = algorithmOf(privateKey)
    this.#header = encodeJson({ alg: this.#algorithm.name, kid: verificationKey(privateKey).id })
  }

  sign(claims: Claims): string {
    const signed = `${this.#header}.${encodeJson(claims)}`
    const signature = sign(this.#algorithm.hash, Buffer.from(signed), signingOptions(this.#key))
    return `${signed}.${signature.toString('base64url')}`
  }
}

/** Returns the claims of a token without verification, only to choose its verifier. */
export function peekClaims(token: string): Claims | undefined {
  const parts = token.split('.')
  return parts.length === 3 && token.length <= MAX_TOKEN_LENGTH ? decodeJson(parts[1]!) : undefined
}

/**
 * Returns the claims of a token signed with one of `keys`. The key determines the algorithm, never the token: a header
 * with another algorithm, or none, fails.
 */
export function verifyToken(token: string, keys: readonly VerificationKey[]): Claims {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const { alg, kid, crit } = decodeJson(header) ?? {}
  const claims = decodeJson(payload)
  const signatureBytes = decodeBase64Url(signature)
  if (claims === undefined || signatureBytes === undefined || crit !== undefined) {
    throw new CredentialRefused('the token is malformed')
  }
  const candidates = kid === undefined ? keys : keys.filter(({ id }) => id === kid)
  if (candidates.length === 0) throw new CredentialRefused('invalid signature, no keys found')
  const signed = Buffer.from(token.slice(0, header.length + 1 + payload.length))
  const isSigned = candidates.some(
    ({ key, algorithm }) =>
      algorithm === alg && verify(algorithmOf(key).hash, signed, signingOptions(key), signatureBytes),
  )
  if (!isSigned) throw new CredentialRefused('error in cryptographic primitive')
  return claims
}

function algorithmOf(key: KeyObject): JwsAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RS256', hash: 'sha256' }
  const algorithm = CURVE_ALGORITHM.get(key.asymmetricKeyDetails?.namedCurve ?? '')
  if (algorithm === undefined) throw new Error('tokens are signed with RSA or ECDSA keys')
  return algorithm
}

/** JWS uses the concatenated ECDSA integers instead of DER (RFC 7518 §3.4). */
function signingOptions(key: KeyObject): { key: KeyObject; dsaEncoding: 'ieee-p1363' } {
  return { key, dsaEncoding: 'ieee-p1363' }
}

function encodeJson(value: Claims): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decodeJson(text: string): Claims | undefined {
  const bytes = decodeBase64Url(text)
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined
  } catch {
    return undefined
  }
}

/** Returns undefined unless the text is the canonical encoding. */
function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined
}
