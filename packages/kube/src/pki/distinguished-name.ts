import { DerError, DerReader, readOid, TAG } from './der-reader.js'
import { directoryString, oid, sequence, setOf } from './derwriter.js'

const OID_COMMON_NAME = '2.5.4.3'
const OID_ORGANIZATION = '2.5.4.10'
const OID_ORGANIZATIONAL_UNIT = '2.5.4.11'

/** The attributes that an issued certificate keeps, in their order. */
const KEPT = [
  '2.5.4.6',
  OID_ORGANIZATION,
  OID_ORGANIZATIONAL_UNIT,
  '2.5.4.7',
  '2.5.4.8',
  '2.5.4.9',
  '2.5.4.17',
  OID_COMMON_NAME,
  '2.5.4.5',
]

const SINGLE: ReadonlySet<string> = new Set([OID_COMMON_NAME, '2.5.4.5'])

/** An X.501 name: every attribute value under its object identifier, in order of appearance. */
export class DistinguishedName {
  readonly attributes: ReadonlyMap<string, readonly string[]>

  constructor(attributes: ReadonlyMap<string, readonly string[]>) {
    this.attributes = attributes
  }

  static of(
    commonName: string,
    organizations: readonly string[] = [],
    organizationalUnits: readonly string[] = [],
  ): DistinguishedName {
    return new DistinguishedName(
      new Map([
        [OID_ORGANIZATION, organizations],
        [OID_ORGANIZATIONAL_UNIT, organizationalUnits],
        [OID_COMMON_NAME, [commonName]],
      ]),
    )
  }

  /** Reads the content of a `Name`. */
  static read(content: Buffer, what: string): DistinguishedName {
    const attributes = new Map<string, string[]>()
    for (const names = new DerReader(content); !names.done; ) {
      const relative = new DerReader(names.expect(TAG.set, what).content)
      if (relative.done) throw new DerError(`${what} has an empty part`)
      while (!relative.done) {
        const pair = relative.sequence(what)
        const type = readOid(pair.expect(TAG.oid, what), what)
        const { tag, content: text } = pair.next(what)
        pair.end(what)
        const value = readDirectoryString(tag, text, what)
        // An attribute with an unreadable value is kept, for callers that accept none of its type.
        const values = attributes.get(type) ?? []
        attributes.set(type, value === undefined ? values : [...values, value])
      }
    }
    return new DistinguishedName(attributes)
  }

  /** The last one if there are several, as in Go. */
  get commonName(): string {
    return this.attributes.get(OID_COMMON_NAME)?.at(-1) ?? ''
  }

  get organizations(): readonly string[] {
    return this.attributes.get(OID_ORGANIZATION) ?? []
  }

  get organizationalUnits(): readonly string[] {
    return this.attributes.get(OID_ORGANIZATIONAL_UNIT) ?? []
  }

  /** The name for a certificate: of single-valued attributes only the last value, which is the one that was checked. */
  asRead(): DistinguishedName {
    const attributes = [...this.attributes].map(
      ([type, values]) => [type, SINGLE.has(type) ? values.slice(-1) : values] as const,
    )
    return new DistinguishedName(new Map(attributes))
  }

  /** The DER of the well-known attributes; several values of one attribute share a part of the name. */
  encode(): Buffer {
    const parts = KEPT.flatMap((type) => {
      const values = (this.attributes.get(type) ?? []).filter((value) => value !== '')
      return values.length === 0 ? [] : [setOf(values.map((value) => sequence(oid(type), directoryString(value))))]
    })
    return sequence(...parts)
  }
}

const NUL = String.fromCharCode(0)

/** Undefined for values that are not text. Throws on a NUL, which no honest name contains. */
function readDirectoryString(tag: number, content: Buffer, what: string): string | undefined {
  const text = decodeText(tag, content, what)
  if (text?.includes(NUL)) throw new DerError(`${what} has a NUL character in it`)
  return text
}

function decodeText(tag: number, content: Buffer, what: string): string | undefined {
  switch (tag) {
    case TAG.utf8String:
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
      } catch {
        throw new DerError(`${what} is not UTF-8`)
      }
    case TAG.printableString:
    case TAG.ia5String:
      if (content.some((byte) => byte >= 0x80)) throw new DerError(`${what} is not ASCII`)
      return content.toString('latin1')
    case TAG.t61String:
      return content.toString('latin1')
    case TAG.bmpString:
      if (content.length % 2 !== 0) throw new DerError(`${what} is not UTF-16`)
      return Buffer.from(content).swap16().toString('utf16le')
    default:
      return undefined
  }
}
