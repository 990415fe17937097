import { isIP, isIPv4, isIPv6 } from 'node:net'
import { type FieldError, fieldInvalid } from '@orrery/kinds/values'
import type { Check } from './check.js'

/** An address as four or sixteen bytes. */
export type Address = readonly number[]

export interface Cidr {
  readonly address: Address
  readonly bits: number
}

/** Parses an IPv4 or IPv6 address; leading zeros in IPv4 are accepted, since old objects have them. */
export function parseIp(text: string): Address | undefined {
  const plain = /^\d{1,3}(\.\d{1,3}){3}$/.test(text) ? text.split('.').map(Number).join('.') : text
  if (isIPv4(plain)) return plain.split('.').map(Number)
  if (!isIPv6(plain) || plain.includes('%')) return undefined
  return ipv6Bytes(plain)
}

function ipv6Bytes(text: string): Address {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  let groups = text
  if (dotted !== null) {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.slice(1).map(Number)
    groups = `${text.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }
  const [head = '', tail] = groups.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

export function parseCidr(text: string): Cidr | undefined {
  const [ip = '', prefix = '', ...more] = text.split('/')
  const address = parseIp(ip)
  if (address === undefined || more.length > 0 || !/^\d{1,3}$/.test(prefix)) return undefined
  const bits = Number(prefix)
  return bits <= address.length * 8 ? { address, bits } : undefined
}

/** Returns whether an address is in a network. */
export function contains({ address, bits }: Cidr, other: Address): boolean {
  if (address.length !== other.length) return false
  return address.every((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - i * 8))
    const mask = (0xff << (8 - kept)) & 0xff
    return (byte & mask) === ((other[i] ?? 0) & mask)
  })
}

export function isIpv6(text: string): boolean {
  return parseIp(text)?.length === 16 && !isMapped(parseIp(text) ?? [])
}

function isMapped(address: Address): boolean {
  return address.length === 16 && address.slice(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 0xff))
}

/** An IP address in a field with legacy validation. */
export const legacyIp: Check = (value, at, errors) => {
  const text = typeof value === 'string' ? value : ''
  const address = parseIp(text)
  if (address === undefined) {
    errors.push(fieldInvalid(at, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'))
  } else if (isIP(text) === 0) errors.push(fieldInvalid(at, text, 'must not have leading 0s'))
  else if (isMapped(address)) errors.push(fieldInvalid(at, text, 'must not be an IPv4-mapped IPv6 address'))
}

/** A CIDR in a field with legacy validation. */
export const legacyCidr: Check = (value, at, errors) => {
  const text = typeof value === 'string' ? value : ''
  const cidr = parseCidr(text)
  const [ip = '', prefix = ''] = text.split('/')
  if (cidr === undefined) {
    errors.push(fieldInvalid(at, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'))
  } else if (isIP(ip) === 0 || prefix !== String(cidr.bits)) {
    errors.push(fieldInvalid(at, text, 'must not have leading 0s in IP or prefix length'))
  } else if (isMapped(cidr.address)) errors.push(fieldInvalid(at, text, 'must not have an IPv4-mapped IPv6 address'))
  else if (hostBits(cidr)) errors.push(fieldInvalid(at, text, 'must not have bits set beyond the prefix length'))
}

function hostBits({ address, bits }: Cidr): boolean {
  return address.some((byte, i) => {
    const kept = Math.min(8, Math.max(0, bits - i * 8))
    return (byte & (0xff >> kept)) !== 0
  })
}

/** An address that can receive traffic. */
export function checkEndpointIp(text: string, at: string, errors: FieldError[]): void {
  const address = parseIp(text)
  if (address === undefined) return void errors.push(fieldInvalid(at, text, 'must be a valid IP address'))
  const [first = 0, second = 0, third = 0] = address
  const short = address.length === 4
  const zeros = address.slice(0, -1).every((byte) => byte === 0)
  const refuse = (detail: string) => errors.push(fieldInvalid(at, text, detail))
  if (zeros && address.at(-1) === 0) refuse(`may not be unspecified (${text})`)
  if (short ? first === 127 : zeros && address.at(-1) === 1) {
    refuse('may not be in the loopback range (127.0.0.0/8, ::1/128)')
  }
  if (short ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    refuse('may not be in the link-local range (169.254.0.0/16, fe80::/10)')
  }
  if (short ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 0x02) {
    refuse('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
  }
}
