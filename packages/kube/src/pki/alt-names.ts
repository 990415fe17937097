import { isIP, SocketAddress } from 'node:net'
import { contextTag, DerError, DerReader, readSingle, TAG } from './der-reader.js'
import { element, sequence } from './derwriter.js'

/** The alternative names of a certificate (RFC 5280 §4.2.1.6). */
export interface AltNames {
  readonly dns: readonly string[]
  readonly ips: readonly string[]
  readonly emails: readonly string[]
  readonly uris: readonly string[]
}

export const NO_ALT_NAMES: AltNames = { dns: [], ips: [], emails: [], uris: [] }

const EMAIL = contextTag(1, 'primitive')
const DNS = contextTag(2, 'primitive')
const URI = contextTag(6, 'primitive')
const IP = contextTag(7, 'primitive')

/** Reads the value of a subjectAltName extension. Other types of names are ignored. */
export function readAltNames(value: Buffer): AltNames {
  const names = { dns: [] as string[], ips: [] as string[], emails: [] as string[], uris: [] as string[] }
  const what = 'the subjectAltName extension'
  for (const reader = new DerReader(readSingle(value, TAG.sequence, what).content); !reader.done; ) {
    const { tag, content } = reader.next(what)
    if (tag === EMAIL) names.emails.push(readAscii(content))
    else if (tag === DNS) names.dns.push(readAscii(content))
    else if (tag === URI) names.uris.push(readUri(content))
    else if (tag === IP) names.ips.push(readIp(content))
  }
  return names
}

/** The value of a subjectAltName extension; undefined if there are no names. */
export function encodeAltNames(names: AltNames): Buffer | undefined {
  const ascii = (tag: number) => (text: string) => element(tag, Buffer.from(text, 'latin1'))
  const parts = [
    ...names.dns.map(ascii(DNS)),
    ...names.emails.map(ascii(EMAIL)),
    ...names.ips.map((ip) => element(IP, encodeIp(ip))),
    ...names.uris.map(ascii(URI)),
  ]
  return parts.length === 0 ? undefined : sequence(...parts)
}

/** Sorts host names and addresses by type. */
export function altNamesOf(hosts: Iterable<string>): AltNames {
  const dns = new Set<string>()
  const ips = new Set<string>()
  for (const host of hosts) {
    if (isIP(host) === 0) dns.add(host)
    else ips.add(readIp(encodeIp(host)))
  }
  return { ...NO_ALT_NAMES, dns: [...dns], ips: [...ips] }
}

function readAscii(content: Buffer): string {
  if (content.some((byte) => byte >= 0x80 || byte === 0)) throw new DerError('a subjectAltName is not ASCII')
  return content.toString('latin1')
}

function readUri(content: Buffer): string {
  const text = readAscii(content)
  if (!URL.canParse(text)) throw new DerError('a subjectAltName is not a URI')
  return text
}

function readIp(content: Buffer): string {
  if (content.length === 4) return content.join('.')
  if (content.length !== 16) throw new DerError('a subjectAltName is not an IP address')
  const groups = Array.from({ length: 8 }, (_, i) => content.readUInt16BE(i * 2).toString(16))
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}

function encodeIp(ip: string): Buffer {
  if (isIP(ip) === 4) return Buffer.from(ip.split('.').map(Number))
  const [head = '', tail] = withHexTail(ip.split('%')[0]!).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0')
  const bytes = Buffer.alloc(16)
  for (const [i, group] of [...left, ...zeros, ...right].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), i * 2)
  return bytes
}

/** `::ffff:1.2.3.4` → `::ffff:102:304`. */
function withHexTail(ip: string): string {
  const lastColon = ip.lastIndexOf(':')
  const dotted = ip.slice(lastColon + 1)
  if (!dotted.includes('.')) return ip
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${ip.slice(0, lastColon + 1)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
