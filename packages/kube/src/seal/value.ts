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

/** Where a value belongs. Anywhere else it cannot be revealed. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  /** Which value of the object. */
  readonly key: string
}

/**
 * A sealed value is
 *
 *     MARK | id of the recipient's key (8) | public key of the sender (32) | ciphertext | tag (16)
 *
 * The sender makes a pair of keys, agrees with the recipient's on a secret (X25519), and derives from it, from both public
 * keys and from the place, by HKDF with SHA-256, the key and the nonce of AES-256-GCM. Its own private key is forgotten.
 * The mark is as long as it is so that it begins the same in base64, whatever follows.
 */
const MARK = Buffer.from('orrery-sealed-value-1')
const MARK_BASE64 = MARK.toString('base64')
const AES_KEY_LENGTH = 32
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
const ID_START = MARK.length
const SENDER_START = ID_START + KEY_ID_LENGTH
const TEXT_START = SENDER_START + KEY_LENGTH

/** Whether a value in base64 is a sealed one. */
export function isSealedValue(base64: string): boolean {
  return base64.startsWith(MARK_BASE64)
}

/** Who seals: a pair of keys for values of one object. */
export type Sender = ReturnType<typeof newSender>

export function newSender() {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return { privateKey, rawPublic: rawPublicKey(publicKey) }
}

/** Seals a value to whoever has the private key. One sender must not seal two values for one place. */
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

/** Reveals a value with whichever of some keys it was sealed to. */
export function revealValue(sealed: Uint8Array, recipients: readonly KeyObject[], place: Place): Buffer {
  const bytes = Buffer.from(sealed)
  if (bytes.length < TEXT_START + TAG_LENGTH) throw new SealError('it is cut off')
  const id = bytes.subarray(ID_START, SENDER_START)
  for (const recipient of recipients) {
    const rawRecipient = rawPublicKey(recipient)
    if (keyId(rawRecipient).equals(id)) return open(bytes, recipient, rawRecipient, place)
  }
  throw new SealError('it is sealed to a key that is not here: seal it anew, to the key that the cluster has now')
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
    // Whatever the reason, nothing more can be said of it without helping who tampers with it.
    throw new SealError('it was sealed for another cluster, object or key of the object, or was changed since')
  }
}

function agree(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  return diffieHellman({ privateKey, publicKey })
}

function derive(secret: Buffer, rawSender: Buffer, rawRecipient: Buffer, place: Place) {
  const { cluster, namespace, name, key } = place
  // Node.js takes no more than 1,024 bytes as HKDF's info, and the names together can be longer: they go into the salt.
  const salt = Buffer.concat([rawSender, rawRecipient, Buffer.from(JSON.stringify([cluster, namespace, name, key]))])
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, MARK, AES_KEY_LENGTH + NONCE_LENGTH))
  return { key: bytes.subarray(0, AES_KEY_LENGTH), nonce: bytes.subarray(AES_KEY_LENGTH) }
}
