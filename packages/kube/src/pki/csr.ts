import type { KeyObject } from 'node:crypto'
import { readPublicKey, readSignatureAlgorithm, signatureFor, verifySignature } from './algorithms.js'
import { type AltNames, encodeAltNames, NO_ALT_NAMES, readAltNames } from './alt-names.js'
import {
  contextTag,
  DerError,
  DerReader,
  readBitString,
  readOid,
  readSingle,
  readSmallInteger,
  TAG,
} from './der-reader.js'
import { bitString, element, integer, oid, sequence, setOf } from './derwriter.js'
import { DistinguishedName } from './distinguished-name.js'
import { type Extension, encodeExtensions, OID_ALT_NAMES, readExtensions } from './extensions.js'
import { decodePem, encodePem } from './pem.js'

const OID_EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const PEM_LABEL = 'CERTIFICATE REQUEST'

/** A PKCS #10 request with a verified signature: its creator holds the key. */
export interface CertificateRequest {
  readonly subject: DistinguishedName
  readonly altNames: AltNames
  readonly publicKey: KeyObject
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKeyDer: Buffer
  readonly extensions: ReadonlyMap<string, Extension>
}

/** Reads and verifies a PEM request, as in `spec.request` of a CertificateSigningRequest. Throws on anything else. */
export function parseCsr(pem: string): CertificateRequest {
  const [block] = decodePem(pem)
  if (block?.label !== PEM_LABEL) throw new Error(`PEM block type must be ${PEM_LABEL}`)
  return parseCsrDer(block.bytes)
}

/** Reads and verifies a DER request (RFC 2986). */
export function parseCsrDer(der: Buffer): CertificateRequest {
  const outer = new DerReader(readSingle(der, TAG.sequence, 'the request').content)
  const info = outer.expect(TAG.sequence, 'the request body')
  const algorithm = readSignatureAlgorithm(outer, 'the signature algorithm')
  const signature = readBitString(outer.expect(TAG.bitString, 'the signature'), 'the signature').bytes
  outer.end('the request')

  const fields = new DerReader(info.content)
  const version = readSmallInteger(fields.expect(TAG.integer, 'the version'), 'the version')
  if (version !== 0) throw new DerError('only version 1 requests exist')
  const subject = DistinguishedName.read(fields.expect(TAG.sequence, 'the subject').content, 'the subject')
  const { whole: publicKeyDer } = fields.expect(TAG.sequence, 'the public key')
  const attributes = fields.optional(contextTag(0, 'constructed'), 'the attributes')
  fields.end('the request body')

  const publicKey = readPublicKey(publicKeyDer)
  if (!verifySignature(algorithm, publicKey, info.whole, signature)) {
    throw new Error('the signature of the certificate request cannot be verified')
  }
  const extensions = readRequestedExtensions(attributes?.content)
  const altNames = extensions.get(OID_ALT_NAMES)
  return {
    subject,
    altNames: altNames === undefined ? NO_ALT_NAMES : readAltNames(altNames.value),
    publicKey,
    publicKeyDer,
    extensions,
  }
}

/** Creates a PEM request for a certificate, signed with its private key. */
export function createCsr(request: {
  subject: DistinguishedName
  altNames?: AltNames
  privateKey: KeyObject
  publicKey: KeyObject
}): string {
  const { identifier, sign } = signatureFor(request.privateKey)
  const altNames = encodeAltNames(request.altNames ?? NO_ALT_NAMES)
  const extensions = altNames && encodeExtensions([{ oid: OID_ALT_NAMES, critical: false, value: altNames }])
  const info = sequence(
    integer(0),
    request.subject.encode(),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa0, ...(extensions ? [sequence(oid(OID_EXTENSION_REQUEST), setOf([extensions]))] : [])),
  )
  return encodePem(PEM_LABEL, sequence(info, identifier, bitString(sign(info))))
}

function readRequestedExtensions(attributes: Buffer | undefined): ReadonlyMap<string, Extension> {
  let extensions: ReadonlyMap<string, Extension> | undefined
  const what = 'an attribute'
  for (const reader = new DerReader(attributes ?? Buffer.alloc(0)); !reader.done; ) {
    const attribute = reader.sequence(what)
    const type = readOid(attribute.expect(TAG.oid, what), what)
    const { content: values } = attribute.expect(TAG.set, what)
    attribute.end(what)
    if (type !== OID_EXTENSION_REQUEST) continue
    if (extensions !== undefined) throw new DerError('extensions are requested twice')
    extensions = readExtensions(values)
  }
  return extensions ?? new Map()
}
