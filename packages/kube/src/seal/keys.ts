import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SealError } from './seal-error.js'

/** A key pair, as texts to publish or store. */
export interface SealingKeys {
  /** Seals. Public. */
  readonly publicKey: string
  /** Reveals. Keep it secret. */
  readonly privateKey: string
}

/** The length of a raw key, public or private. */
export const KEY_LENGTH = 32

/** How many bytes of its digest identify a key. */
export const KEY_ID_LENGTH = 8

const PUBLIC_PREFIX = 'x25519:'
const PRIVATE_PREFIX = 'x25519-private:'

/** Generates a key pair for X25519 (RFC 7748). */
export function generateSealingKeys(): SealingKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const { d = '' } = privateKey.export({ format: 'jwk' })
  return { publicKey: PUBLIC_PREFIX + rawPublicKey(publicKey).toString('base64url'), privateKey: PRIVATE_PREFIX + d }
}

/** Parses a public key. */
export function parsePublicKey(text: string): KeyObject {
  return publicKeyFrom(rawKey(text, PUBLIC_PREFIX, 'public'))
}

/** Parses a private key. */
export function parsePrivateKey(text: string): KeyObject {
  const d = rawKey(text, PRIVATE_PREFIX, 'private')
  // PKCS #8 for X25519 (RFC 8410) is this prefix and the key.
  const der = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), d])
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** A public key from its bytes. */
export function publicKeyFrom(raw: Uint8Array): KeyObject {
  const x = Buffer.from(raw).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
}

/** The bytes of the public key of a key, private or public. */
export function rawPublicKey(key: KeyObject): Buffer {
  const { x = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

/** Identifies the sealing key among several. */
export function keyId(rawPublic: Uint8Array): Buffer {
  return createHash('sha256').update(rawPublic).digest().subarray(0, KEY_ID_LENGTH)
}

function rawKey(text: string, prefix: string, which: string): Buffer {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  const raw = Buffer.from(encoded, 'base64url')
  if (raw.length === KEY_LENGTH && raw.toString('base64url') === encoded) return raw
  throw new SealError(`it is not a ${which} key: expected ${prefix} and ${KEY_LENGTH} bytes in base64url`)
}
