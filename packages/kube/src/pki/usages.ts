import { type BitString, DerReader, readOid, readSingle, TAG } from './der-reader.js'
import { bitString, oid, sequence } from './derwriter.js'

/** The bits of the keyUsage extension, by their names in the certificates API (RFC 5280 §4.2.1.3). */
const KEY_USAGE_BIT: ReadonlyMap<string, number> = new Map([
  ['signing', 0],
  ['digital signature', 0],
  ['content commitment', 1],
  ['key encipherment', 2],
  ['data encipherment', 3],
  ['key agreement', 4],
  ['cert sign', 5],
  ['crl sign', 6],
  ['encipher only', 7],
  ['decipher only', 8],
])

export const OID_ANY_USAGE = '2.5.29.37.0'
const OID_SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
export const OID_CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

const EXTENDED_USAGE_OID: ReadonlyMap<string, string> = new Map([
  ['any', OID_ANY_USAGE],
  ['server auth', OID_SERVER_AUTH],
  ['client auth', OID_CLIENT_AUTH],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
])

export const KEY_CERT_SIGN_BIT = 5

/** The usages of a key: keyUsage bits, and object identifiers of extended usages. */
export interface Usages {
  readonly bits: ReadonlySet<number>
  readonly extended: ReadonlySet<string>
}

/** Translates the usage names of the certificates API. Throws on unknown names. */
export function usagesFromNames(names: Iterable<string>): Usages {
  const bits = new Set<number>()
  const extended = new Set<string>()
  const unknown: string[] = []
  for (const name of names) {
    const bit = KEY_USAGE_BIT.get(name)
    const usage = EXTENDED_USAGE_OID.get(name)
    if (bit !== undefined) bits.add(bit)
    else if (usage !== undefined) extended.add(usage)
    else unknown.push(JSON.stringify(name))
  }
  if (unknown.length > 0) throw new Error(`unrecognized usage values: [${unknown.join(' ')}]`)
  return { bits, extended }
}

/** The value of a keyUsage extension. */
export function encodeKeyUsage(bits: ReadonlySet<number>): Buffer {
  const highest = Math.max(...bits)
  const bytes = Buffer.alloc(Math.floor(highest / 8) + 1)
  for (const bit of bits) bytes[bit >> 3]! |= 0x80 >> (bit & 7)
  return bitString(bytes, 7 - (highest & 7))
}

export function decodeKeyUsage(value: BitString): ReadonlySet<number> {
  const bits = new Set<number>()
  for (const [i, byte] of value.bytes.entries()) {
    for (let bit = 0; bit < 8; bit++) if ((byte & (0x80 >> bit)) !== 0) bits.add(i * 8 + bit)
  }
  return bits
}

/** The value of an extKeyUsage extension. */
export function encodeExtendedUsages(usages: ReadonlySet<string>): Buffer {
  return sequence(...[...usages].sort().map(oid))
}

export function decodeExtendedUsages(value: Buffer): ReadonlySet<string> {
  const what = 'the extKeyUsage extension'
  const usages = new Set<string>()
  for (const reader = new DerReader(readSingle(value, TAG.sequence, what).content); !reader.done; ) {
    usages.add(readOid(reader.expect(TAG.oid, what), what))
  }
  return usages
}
