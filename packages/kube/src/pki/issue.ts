import { createHash, type KeyObject, randomBytes } from 'node:crypto'
import { signatureFor } from './algorithms.js'
import { type AltNames, encodeAltNames, NO_ALT_NAMES } from './alt-names.js'
import { DerReader, readBitString, TAG } from './der-reader.js'
import { bitString, boolean, element, integer, octetString, sequence, time } from './derwriter.js'
import type { DistinguishedName } from './distinguished-name.js'
import {
  type Extension,
  encodeExtensions,
  OID_ALT_NAMES,
  OID_AUTHORITY_KEY_ID,
  OID_BASIC_CONSTRAINTS,
  OID_EXTENDED_USAGE,
  OID_KEY_USAGE,
  OID_SUBJECT_KEY_ID,
} from './extensions.js'
import { encodeExtendedUsages, encodeKeyUsage, type Usages } from './usages.js'

/** The issuer: the DER of its name, its key, and the ID of the key. */
export interface Issuer {
  readonly nameDer: Buffer
  readonly key: KeyObject
  readonly keyId: Buffer
}

export interface CertificateRequestFields {
  readonly subject: DistinguishedName
  readonly altNames?: AltNames
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKeyDer: Buffer
  readonly usages: Usages
  readonly notBefore: Date
  readonly notAfter: Date
  /** Whether it may sign certificates. Default false. */
  readonly isCa?: boolean
  readonly issuer: Issuer
}

/** Builds and signs a version 3 certificate; returns its DER. */
export function issueCertificate(fields: CertificateRequestFields): Buffer {
  const { identifier, sign } = signatureFor(fields.issuer.key)
  const subject = fields.subject.encode()
  const body = sequence(
    element(0xa0, integer(2)),
    integer(randomSerial()),
    identifier,
    fields.issuer.nameDer,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    subject,
    fields.publicKeyDer,
    element(0xa3, encodeExtensions(extensionsOf(fields, subject.length === EMPTY_NAME_LENGTH))),
  )
  return sequence(body, identifier, bitString(sign(body)))
}

/** RFC 7093 method 1: the leftmost 160 bits of the SHA-256 of the key's bits. */
export function keyIdOf(publicKeyDer: Buffer): Buffer {
  const fields = new DerReader(publicKeyDer).sequence('the public key')
  fields.next('the key algorithm')
  const bits = readBitString(fields.expect(TAG.bitString, 'the public key'), 'the public key').bytes
  return createHash('sha256').update(bits).digest().subarray(0, 20)
}

const EMPTY_NAME_LENGTH = 2

function extensionsOf(fields: CertificateRequestFields, nameless: boolean): Extension[] {
  const extensions: Extension[] = []
  const add = (oid: string, critical: boolean, value: Buffer) => extensions.push({ oid, critical, value })
  const { bits, extended } = fields.usages
  if (bits.size > 0) add(OID_KEY_USAGE, true, encodeKeyUsage(bits))
  if (extended.size > 0) add(OID_EXTENDED_USAGE, false, encodeExtendedUsages(extended))
  add(OID_BASIC_CONSTRAINTS, true, fields.isCa ? sequence(boolean(true)) : sequence())
  if (fields.isCa) add(OID_SUBJECT_KEY_ID, false, octetString(keyIdOf(fields.publicKeyDer)))
  add(OID_AUTHORITY_KEY_ID, false, sequence(element(0x80, fields.issuer.keyId)))
  // A certificate without a subject is identified by its alternative names, so they become critical (RFC 5280
  // §4.2.1.6).
  const altNames = encodeAltNames(fields.altNames ?? NO_ALT_NAMES)
  if (altNames !== undefined) add(OID_ALT_NAMES, nameless, altNames)
  return extensions
}

/** 127 random bits: positive and unique. */
function randomSerial(): Buffer {
  const serial = randomBytes(16)
  serial[0]! &= 0x7f
  return serial
}
