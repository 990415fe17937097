import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { DerError, type DerReader, readOid, TAG } from './der-reader.js'
import { nullValue, oid, sequence } from './derwriter.js'

/** A supported signature algorithm of X.509. SHA-1, MD5, DSA and RSA-PSS are omitted on purpose. */
interface SignatureAlgorithm {
  readonly oid: string
  readonly keyType: 'rsa' | 'ec' | 'ed25519'
  /** Undefined for algorithms with a built-in hash. */
  readonly hash: string | undefined
  /** Whether the identifier carries NULL parameters. */
  readonly nullParameters: boolean
}

const ALGORITHMS: readonly SignatureAlgorithm[] = [
  { oid: '1.2.840.113549.1.1.11', keyType: 'rsa', hash: 'sha256', nullParameters: true },
  { oid: '1.2.840.113549.1.1.12', keyType: 'rsa', hash: 'sha384', nullParameters: true },
  { oid: '1.2.840.113549.1.1.13', keyType: 'rsa', hash: 'sha512', nullParameters: true },
  { oid: '1.2.840.10045.4.3.2', keyType: 'ec', hash: 'sha256', nullParameters: false },
  { oid: '1.2.840.10045.4.3.3', keyType: 'ec', hash: 'sha384', nullParameters: false },
  { oid: '1.2.840.10045.4.3.4', keyType: 'ec', hash: 'sha512', nullParameters: false },
  { oid: '1.3.101.112', keyType: 'ed25519', hash: undefined, nullParameters: false },
]

const BY_OID = new Map(ALGORITHMS.map((algorithm) => [algorithm.oid, algorithm]))
const CURVE_HASH = new Map([
  ['prime256v1', 'sha256'],
  ['secp384r1', 'sha384'],
  ['secp521r1', 'sha512'],
])
const MIN_RSA_BITS = 1024
const MAX_RSA_BITS = 8192
/** The limit of Go's clients and servers. With a larger one, verifying costs as much as signing. */
const MAX_RSA_EXPONENT = 2n ** 31n - 1n

/** Reads an AlgorithmIdentifier and returns its object identifier. */
export function readSignatureAlgorithm(reader: DerReader, what: string): string {
  const identifier = reader.sequence(what)
  const name = readOid(identifier.expect(TAG.oid, what), what)
  if (!identifier.done) identifier.next(what)
  identifier.end(what)
  return name
}

/** A public key from its SubjectPublicKeyInfo, of a type that can sign: RSA, P-256, P-384, P-521 or Ed25519. */
export function readPublicKey(spki: Buffer): KeyObject {
  let key: KeyObject
  try {
    key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  } catch {
    throw new DerError('the public key cannot be read')
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'rsa') {
    const bits = details?.modulusLength ?? 0
    if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) throw new DerError(`a ${bits}-bit RSA key is not accepted`)
    const exponent = details?.publicExponent ?? 0n
    if (exponent < 3n || exponent > MAX_RSA_EXPONENT) throw new DerError('the exponent of the RSA key is not accepted')
    return key
  }
  if (type === 'ec' && CURVE_HASH.has(details?.namedCurve ?? '')) return key
  if (type === 'ed25519') return key
  throw new DerError(`public keys of type ${type ?? 'unknown'} are not accepted`)
}

/** Whether `signature` over `data` is by `key` with this algorithm. Never throws. */
export function verifySignature(algorithmOid: string, key: KeyObject, data: Buffer, signature: Buffer): boolean {
  const algorithm = BY_OID.get(algorithmOid)
  if (algorithm === undefined || key.asymmetricKeyType !== algorithm.keyType) return false
  try {
    return verify(algorithm.hash, data, key, signature)
  } catch {
    return false
  }
}

/** Signs with the algorithm of the key; also returns its AlgorithmIdentifier. */
export function signatureFor(key: KeyObject): { identifier: Buffer; sign(data: Buffer): Buffer } {
  const hash = key.asymmetricKeyType === 'ec' ? CURVE_HASH.get(key.asymmetricKeyDetails?.namedCurve ?? '') : 'sha256'
  const algorithm = ALGORITHMS.find(
    (known) => known.keyType === key.asymmetricKeyType && (known.hash === undefined || known.hash === hash),
  )
  if (algorithm === undefined) throw new Error(`keys of type ${key.asymmetricKeyType ?? 'unknown'} cannot sign`)
  const parameters = algorithm.nullParameters ? [nullValue()] : []
  return {
    identifier: sequence(oid(algorithm.oid), ...parameters),
    sign: (data) => sign(algorithm.hash, data, key),
  }
}
