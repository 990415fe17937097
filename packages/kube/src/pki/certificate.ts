import { createHash, type KeyObject } from 'node:crypto'
import { readPublicKey, readSignatureAlgorithm, verifySignature } from './algorithms.js'
import { type AltNames, NO_ALT_NAMES, readAltNames } from './alt-names.js'
import {
  contextTag,
  DerError,
  DerReader,
  readBitString,
  readBoolean,
  readInteger,
  readSingle,
  readSmallInteger,
  readTime,
  TAG,
} from './der-reader.js'
import { DistinguishedName } from './distinguished-name.js'
import {
  type Extension,
  OID_ALT_NAMES,
  OID_AUTHORITY_KEY_ID,
  OID_BASIC_CONSTRAINTS,
  OID_EXTENDED_USAGE,
  OID_KEY_USAGE,
  OID_SUBJECT_KEY_ID,
  readExtensions,
} from './extensions.js'
import { decodePem } from './pem.js'
import { decodeExtendedUsages, decodeKeyUsage } from './usages.js'

const UNDERSTOOD = new Set([
  OID_ALT_NAMES,
  OID_AUTHORITY_KEY_ID,
  OID_BASIC_CONSTRAINTS,
  OID_EXTENDED_USAGE,
  OID_KEY_USAGE,
  OID_SUBJECT_KEY_ID,
])

/** The fields of an X.509 certificate that authentication needs. */
export interface Certificate {
  /** The whole certificate, DER. */
  readonly der: Buffer
  /** SHA-256 of `der`, hexadecimal. */
  readonly fingerprint: string
  readonly serialNumber: Buffer
  readonly issuerDer: Buffer
  readonly subjectDer: Buffer
  readonly subject: DistinguishedName
  readonly altNames: AltNames
  readonly notBefore: Date
  readonly notAfter: Date
  readonly publicKeyDer: Buffer
  readonly isCa: boolean
  /** How many further authorities may follow below; undefined for no limit. */
  readonly pathLength: number | undefined
  /** Undefined if the certificate does not restrict them. */
  readonly keyUsage: ReadonlySet<number> | undefined
  readonly extendedUsages: ReadonlySet<string> | undefined
  readonly subjectKeyId: Buffer | undefined
  /** Critical extensions that this reader does not know: such a certificate must not be trusted. */
  readonly unknownCritical: readonly string[]
  isSignedBy(issuer: KeyObject): boolean
}

/** The first certificate of a PEM text. */
export function parseCertificatePem(pem: string): Certificate {
  const block = decodePem(pem).find(({ label }) => label === 'CERTIFICATE')
  if (block === undefined) throw new DerError('the PEM text has no CERTIFICATE block')
  return parseCertificate(block.bytes)
}

/** Every certificate of a PEM bundle. */
export function parseCertificateBundle(pem: string): Certificate[] {
  return decodePem(pem)
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ bytes }) => parseCertificate(bytes))
}

/** Reads a DER certificate (RFC 5280 §4.1). Throws `DerError`; does not verify anything. */
export function parseCertificate(der: Buffer): Certificate {
  const outer = new DerReader(readSingle(der, TAG.sequence, 'the certificate').content)
  const body = outer.expect(TAG.sequence, 'the certificate body')
  const signatureOid = readSignatureAlgorithm(outer, 'the signature algorithm')
  const signature = readBitString(outer.expect(TAG.bitString, 'the signature'), 'the signature').bytes
  outer.end('the certificate')

  const fields = new DerReader(body.content)
  const version = fields.optional(contextTag(0, 'constructed'), 'the version')
  if (
    version === undefined ||
    readSmallInteger(readSingle(version.content, TAG.integer, 'the version'), 'the version') !== 2
  ) {
    throw new DerError('only version 3 certificates are accepted')
  }
  const serialNumber = readInteger(fields.expect(TAG.integer, 'the serial number'), 'the serial number')
  if (readSignatureAlgorithm(fields, 'the signature algorithm') !== signatureOid) {
    throw new DerError('the certificate names two different signature algorithms')
  }
  const issuer = fields.expect(TAG.sequence, 'the issuer')
  const validity = fields.sequence('the validity')
  const notBefore = readTime(validity.next('the validity'), 'the validity')
  const notAfter = readTime(validity.next('the validity'), 'the validity')
  validity.end('the validity')
  const subject = fields.expect(TAG.sequence, 'the subject')
  const publicKey = fields.expect(TAG.sequence, 'the public key')
  fields.optional(contextTag(1, 'primitive'), 'the issuer id')
  fields.optional(contextTag(2, 'primitive'), 'the subject id')
  const extensionField = fields.optional(contextTag(3, 'constructed'), 'the extensions')
  fields.end('the certificate body')
  const extensions =
    extensionField === undefined ? new Map<string, Extension>() : readExtensions(extensionField.content)

  return {
    der,
    fingerprint: createHash('sha256').update(der).digest('hex'),
    serialNumber,
    issuerDer: issuer.whole,
    subjectDer: subject.whole,
    subject: DistinguishedName.read(subject.content, 'the subject'),
    notBefore,
    notAfter,
    publicKeyDer: publicKey.whole,
    ...readKnownExtensions(extensions),
    isSignedBy: (key) => verifySignature(signatureOid, key, body.whole, signature),
  }
}

/** The public key of a certificate. */
export function certificateKey(certificate: Certificate): KeyObject {
  return readPublicKey(certificate.publicKeyDer)
}

function readKnownExtensions(extensions: ReadonlyMap<string, Extension>) {
  const value = (oid: string) => extensions.get(oid)?.value
  const altNames = value(OID_ALT_NAMES)
  const keyUsage = value(OID_KEY_USAGE)
  const extendedUsage = value(OID_EXTENDED_USAGE)
  const keyId = value(OID_SUBJECT_KEY_ID)
  const usageBits = keyUsage && readBitString(readSingle(keyUsage, TAG.bitString, 'the key usage'), 'the key usage')
  return {
    altNames: altNames === undefined ? NO_ALT_NAMES : readAltNames(altNames),
    keyUsage: usageBits && decodeKeyUsage(usageBits),
    extendedUsages: extendedUsage && decodeExtendedUsages(extendedUsage),
    subjectKeyId: keyId && readSingle(keyId, TAG.octetString, 'the subject key id').content,
    unknownCritical: [...extensions.values()].filter((e) => e.critical && !UNDERSTOOD.has(e.oid)).map((e) => e.oid),
    ...readBasicConstraints(value(OID_BASIC_CONSTRAINTS)),
  }
}

function readBasicConstraints(value: Buffer | undefined): { isCa: boolean; pathLength: number | undefined } {
  if (value === undefined) return { isCa: false, pathLength: undefined }
  const what = 'the basic constraints'
  const fields = new DerReader(readSingle(value, TAG.sequence, what).content)
  const flag = fields.optional(TAG.boolean, what)
  const limit = fields.optional(TAG.integer, what)
  fields.end(what)
  return {
    isCa: flag !== undefined && readBoolean(flag, what),
    pathLength: limit && readSmallInteger(limit, what),
  }
}
