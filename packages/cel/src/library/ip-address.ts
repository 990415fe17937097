/** An IPv4 or IPv6 address. */
export interface IpAddress {
  readonly family: 4 | 6
  readonly value: bigint
  readonly zone: string
}

/** An invalid address, with the message of Go's `netip`. */
export class IpParseError extends Error {}

/** Parses an address. Throws `IpParseError`. */
export function parseIp(text: string): IpAddress {
  for (const character of text) {
    if (character === '.') return { family: 4, value: parseV4(text, text), zone: '' }
    if (character === ':') return parseV6(text)
    if (character === '%') throw failure(text, 'missing IPv6 address')
  }
  throw failure(text, 'unable to parse IP')
}

/** Whether a text is an IPv6 address, with or without a zone. */
export function isIpv6(text: string): boolean {
  if (!text.includes(':')) return false
  try {
    return parseIp(text).family === 6
  } catch (error) {
    if (error instanceof IpParseError) return false
    throw error
  }
}

/** The canonical form of an address (RFC 5952). */
export function formatIp({ family, value, zone }: IpAddress): string {
  if (family === 4) return formatV4(value)
  const prefix = value >> 32n === 0xffffn ? `::ffff:${formatV4(value & 0xffffffffn)}` : formatV6(value)
  return zone === '' ? prefix : `${prefix}%${zone}`
}

export function isV4Mapped({ family, value }: IpAddress): boolean {
  return family === 6 && value >> 32n === 0xffffn
}

function parseV4(text: string, whole: string): bigint {
  let value = 0n
  const parts = text.split('.')
  let at = 0
  for (const [index, part] of parts.entries()) {
    const bad = /[^0-9]/.exec(part)
    if (bad !== null) throw failure(whole, `unexpected character (at ${JSON.stringify(text.slice(at + bad.index))})`)
    if (part === '') {
      throw failure(
        whole,
        `IPv4 field must have at least one digit (at ${JSON.stringify(text.slice(Math.min(at, text.length - 1)))})`,
      )
    }
    if (part.length > 1 && part.startsWith('0')) throw failure(whole, 'IPv4 field has octet with leading zero')
    if (Number(part) > 255) throw failure(whole, 'IPv4 field has value >255')
    if (index > 3) throw failure(whole, 'IPv4 address too long')
    value = (value << 8n) | BigInt(part)
    at += part.length + 1
  }
  if (parts.length < 4) throw failure(whole, 'IPv4 address too short')
  return value
}

function parseV6(whole: string): IpAddress {
  const percent = whole.indexOf('%')
  const zone = percent < 0 ? '' : whole.slice(percent + 1)
  if (percent >= 0 && zone === '') throw failure(whole, 'zone must be a non-empty string')
  let rest = percent < 0 ? whole : whole.slice(0, percent)
  const groups: bigint[] = []
  let gap = -1
  if (rest.startsWith('::')) {
    gap = 0
    rest = rest.slice(2)
    if (rest === '') return { family: 6, value: 0n, zone }
  }
  while (groups.length < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
    if (digits.length > 4) throw failure(whole, `each group must have 4 or less digits (at ${JSON.stringify(rest)})`)
    if (digits === '') {
      throw failure(whole, `each colon-separated field must have at least one digit (at ${JSON.stringify(rest)})`)
    }
    if (rest[digits.length] === '.') {
      if (gap < 0 && groups.length !== 6) {
        throw failure(
          whole,
          `embedded IPv4 address must replace the final 2 fields of the address (at ${JSON.stringify(rest)})`,
        )
      }
      if (groups.length > 6) {
        throw failure(
          whole,
          `too many hex fields to fit an embedded IPv4 at the end of the address (at ${JSON.stringify(rest)})`,
        )
      }
      const embedded = parseV4(rest, whole)
      groups.push(embedded >> 16n, embedded & 0xffffn)
      rest = ''
      break
    }
    groups.push(BigInt(`0x${digits}`))
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (rest[0] !== ':') throw failure(whole, `unexpected character, want colon (at ${JSON.stringify(rest)})`)
    if (rest.length === 1)
      throw failure(whole, `colon must be followed by more characters (at ${JSON.stringify(rest)})`)
    rest = rest.slice(1)
    if (rest[0] === ':') {
      if (gap >= 0) throw failure(whole, `multiple :: in address (at ${JSON.stringify(rest)})`)
      gap = groups.length
      rest = rest.slice(1)
      if (rest === '') break
    }
  }
  if (rest !== '') throw failure(whole, `trailing garbage after address (at ${JSON.stringify(rest)})`)
  if (groups.length < 8) {
    if (gap < 0) throw failure(whole, 'address string too short')
    groups.splice(gap, 0, ...Array.from({ length: 8 - groups.length }, () => 0n))
  } else if (gap >= 0) throw failure(whole, 'the :: must expand to at least one field of zeros')
  return { family: 6, value: groups.reduce((value, group) => (value << 16n) | group, 0n), zone }
}

function formatV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
}

function formatV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  const runs = [
    ...groups
      .map((group) => (group === '0' ? '0' : 'x'))
      .join('')
      .matchAll(/0{2,}/g),
  ]
  const longest = runs.reduce<RegExpExecArray | undefined>(
    (best, run) => (best !== undefined && best[0].length >= run[0].length ? best : run),
    undefined,
  )
  if (longest === undefined) return groups.join(':')
  const head = groups.slice(0, longest.index).join(':')
  return `${head}::${groups.slice(longest.index + longest[0].length).join(':')}`
}

function failure(text: string, problem: string): IpParseError {
  return new IpParseError(`ParseAddr(${JSON.stringify(text)}): ${problem}`)
}
