import {
  createCipheriv,
  createDecipheriv,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { KEY_ID_LENGTH, KEY_LENGTH, keyId, publicKeyFrom, rawPublicKey } from './keys.js'
import { SealError } from './seal-error.js'

/** The location of a value. It cannot be revealed anywhere else. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  /** The key of the value in the object. */
  readonly key: string
}

/**
 * The format of a sealed value:
 *
 *     MARK | ID of the recipient's key (8) | public key of the sender (32) | ciphertext | tag (16)
 *
 * The sender generates a key pair and agrees on a secret with the recipient's key (X25519). HKDF with SHA-256 derives
 * the key and the nonce of AES-256-GCM from the secret, both public keys and the location. The sender's private key
 * is dropped. The length of the mark makes its base64 a fixed prefix.
 */
const MARK = Buffer.from('orrery-sealed-value-1')
const MARK_BASE64 = MARK.toString('base64')
const AES_KEY_LENGTH = 32
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const ID_START = MARK.length
const SENDER_START = ID_START + KEY_ID_LENGTH
const TEXT_START = SENDER_START + KEY_LENGTH

/** Whether a value in base64 is sealed. */
export function isSealedValue(base64: string): boolean {
  return base64.startsWith(MARK_BASE64)
}

/** The sender: a key pair for the values of one object. */
export type Sender = ReturnType<typeof newSender>

export function newSender() {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return { privateKey, rawPublic: rawPublicKey(publicKey) }
}

/** Seals a value for the holder of a private key. One sender must not seal two values for one location. */
export function sealValue(plain: Uint8Array, recipient: KeyObject, place: Place, sender: Sender): Buffer {
  const rawRecipient = rawPublicKey(recipient)
  const secret = agree(sender.privateKey, recipient)
  const { key, nonce } = derive(secret, sender.rawPublic, rawRecipient, place)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([
    MARK,
    keyId(rawRecipient),
    sender.rawPublic,
    cipher.update(plain),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/** Reveals a value with the key that it was sealed for. */
export function revealValue(sealed: Uint8Array, recipients: readonly KeyObject[], place: Place): Buffer {
  const bytes = Buffer.from(sealed)
  if (bytes.length < TEXT_START + TAG_LENGTH) throw new SealError('it is truncated')
  const id = bytes.subarray(ID_START, SENDER_START)
  for (const recipient of recipients) {
    const rawRecipient = rawPublicKey(recipient)
    if (keyId(rawRecipient).equals(id)) return open(bytes, recipient, rawRecipient, place)
  }
  throw new SealError(
    'it is sealed with a key that this cluster does not have: seal it again, with the current key of the cluster',
  )
}

function open(bytes: Buffer, recipient: KeyObject, rawRecipient: Buffer, place: Place): Buffer {
  const rawSender = bytes.subarray(SENDER_START, TEXT_START)
  const tagStart = bytes.length - TAG_LENGTH
  try {
    const secret = agree(recipient, publicKeyFrom(rawSender))
    const { key, nonce } = derive(secret, rawSender, rawRecipient, place)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH })
    decipher.setAuthTag(bytes.subarray(tagStart))
    return Buffer.concat([decipher.update(bytes.subarray(TEXT_START, tagStart)), decipher.final()])
  } catch {
    // The reason is not disclosed, since it would help an attacker.
    throw new SealError('it was sealed for another cluster, object or key of the object, or was modified')
  }
}

function agree(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  return diffieHellman({ privateKey, publicKey })
}

function derive(secret: Buffer, rawSender: Buffer, rawRecipient: Buffer, place: Place) {
  const { cluster, namespace, name, key } = place
  // Node.js limits HKDF's info to 1,024 bytes, and the names can be longer: they are part of the salt.
  const salt = Buffer.concat([rawSender, rawRecipient, Buffer.from(JSON.stringify([cluster, namespace, name, key]))])
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, MARK, AES_KEY_LENGTH + NONCE_LENGTH))
  return { key: bytes.subarray(0, AES_KEY_LENGTH), nonce: bytes.subarray(AES_KEY_LENGTH) }
}
