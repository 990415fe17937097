import { DerError, DerReader, readBoolean, readOid, readSingle, TAG } from './der-reader.js'
import { boolean, octetString, oid, sequence } from './derwriter.js'

export const OID_SUBJECT_KEY_ID = '2.5.29.14'
export const OID_KEY_USAGE = '2.5.29.15'
export const OID_ALT_NAMES = '2.5.29.17'
export const OID_BASIC_CONSTRAINTS = '2.5.29.19'
export const OID_AUTHORITY_KEY_ID = '2.5.29.35'
export const OID_EXTENDED_USAGE = '2.5.29.37'

export interface Extension {
  readonly oid: string
  readonly critical: boolean
  readonly value: Buffer
}

/** Reads `Extensions` into a map by object identifier. Throws if one occurs twice (RFC 5280 §4.2). */
export function readExtensions(bytes: Buffer): ReadonlyMap<string, Extension> {
  const what = 'an extension'
  const extensions = new Map<string, Extension>()
  for (const reader = new DerReader(readSingle(bytes, TAG.sequence, what).content); !reader.done; ) {
    const fields = reader.sequence(what)
    const name = readOid(fields.expect(TAG.oid, what), what)
    const flag = fields.optional(TAG.boolean, what)
    const { content: value } = fields.expect(TAG.octetString, what)
    fields.end(what)
    if (extensions.has(name)) throw new DerError(`the extension ${name} occurs twice`)
    extensions.set(name, { oid: name, critical: flag !== undefined && readBoolean(flag, what), value })
  }
  return extensions
}

export function encodeExtensions(extensions: readonly Extension[]): Buffer {
  return sequence(
    ...extensions.map(({ oid: name, critical, value }) =>
      sequence(oid(name), ...(critical ? [boolean(true)] : []), octetString(value)),
    ),
  )
}
