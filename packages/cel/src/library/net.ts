import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { type CelType, opaqueType } from '../type.js'
import { CelEvalError, CelOpaque, noSuchOverload } from '../values/value.js'
import { formatIp, type IpAddress, IpParseError, isV4Mapped, parseIp } from './ip-address.js'

const ipType = opaqueType('net.IP')
const cidrType = opaqueType('net.CIDR')

class CelIp extends CelOpaque {
  readonly type: CelType = ipType
  readonly address: IpAddress

  constructor(address: IpAddress) {
    super()
    this.address = address
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelIp && sameAddress(this.address, other.address)
  }

  override get costSize(): number {
    return this.address.family === 4 ? 4 : 16
  }
}

class CelCidr extends CelOpaque {
  readonly type: CelType = cidrType
  readonly address: IpAddress
  readonly bits: number

  constructor(address: IpAddress, bits: number) {
    super()
    this.address = address
    this.bits = bits
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelCidr && this.bits === other.bits && sameAddress(this.address, other.address)
  }

  override get costSize(): number {
    return Math.ceil(this.bits / 8)
  }
}

/** Kubernetes' IP addresses. */
export const ip: CelLibrary = {
  name: 'kubernetes.net.ip',
  types: [ipType],
  overloads: [
    overload('string_to_ip', 'ip(string) -> <net.IP>', toIp),
    overload('ip_family', '<net.IP>.family() -> int', ({ address }: CelIp) => address.family),
    overload(
      'ip_is_canonical',
      'ip.isCanonical(string) -> bool',
      (text: string) => formatIp(toIp(text).address) === text,
    ),
    overload('ip_is_unspecified', '<net.IP>.isUnspecified() -> bool', ({ address }: CelIp) => address.value === 0n),
    overload('ip_is_loopback', '<net.IP>.isLoopback() -> bool', ({ address }: CelIp) => within(address, ...loopback)),
    overload('ip_is_link_local_multicast', '<net.IP>.isLinkLocalMulticast() -> bool', ({ address }: CelIp) =>
      isLinkLocalMulticast(address),
    ),
    overload('ip_is_link_local_unicast', '<net.IP>.isLinkLocalUnicast() -> bool', ({ address }: CelIp) =>
      within(address, ...linkLocalUnicast),
    ),
    overload('ip_is_global_unicast', '<net.IP>.isGlobalUnicast() -> bool', ({ address }: CelIp) =>
      isGlobalUnicast(address),
    ),
    overload('is_ip', 'isIP(string) -> bool', (text: string) => succeeds(() => toIp(text))),
    overload('ip_to_string', 'string(<net.IP>) -> string', ({ address }: CelIp) => formatIp(address)),
  ],
}

/** Kubernetes' networks. */
export const cidr: CelLibrary = {
  name: 'kubernetes.net.cidr',
  types: [cidrType],
  overloads: [
    overload('string_to_cidr', 'cidr(string) -> <net.CIDR>', toCidr),
    overload('cidr_contains_ip_string', '<net.CIDR>.containsIP(string) -> bool', (net: CelCidr, text: string) => {
      if (!succeeds(() => toIp(text))) throw noSuchOverload()
      return containsAddress(net, toIp(text).address)
    }),
    overload('cidr_contains_ip_ip', '<net.CIDR>.containsIP(<net.IP>) -> bool', (net: CelCidr, { address }: CelIp) =>
      containsAddress(net, address),
    ),
    overload('cidr_contains_cidr_string', '<net.CIDR>.containsCIDR(string) -> bool', (net: CelCidr, text: string) =>
      containsNet(net, toCidr(text)),
    ),
    overload('cidr_contains_cidr', '<net.CIDR>.containsCIDR(<net.CIDR>) -> bool', containsNet),
    overload('cidr_ip', '<net.CIDR>.ip() -> <net.IP>', ({ address }: CelCidr) => new CelIp(address)),
    overload('cidr_prefix_length', '<net.CIDR>.prefixLength() -> int', ({ bits }: CelCidr) => bits),
    overload(
      'cidr_masked',
      '<net.CIDR>.masked() -> <net.CIDR>',
      ({ address, bits }: CelCidr) => new CelCidr({ ...address, value: mask(address, bits) }, bits),
    ),
    overload('is_cidr', 'isCIDR(string) -> bool', (text: string) => succeeds(() => toCidr(text))),
    overload(
      'cidr_to_string',
      'string(<net.CIDR>) -> string',
      ({ address, bits }: CelCidr) => `${formatIp(address)}/${bits}`,
    ),
  ],
}

function toIp(text: string): CelIp {
  const address = reading(
    text,
    (problem) => `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${problem}`,
  )
  if (address.zone !== '') throw new CelEvalError(`IP address ${JSON.stringify(text)} with zone value is not allowed`)
  if (isV4Mapped(address)) throw new CelEvalError(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`)
  return new CelIp(address)
}

const CIDR_PROBLEM = 'network address parse error during conversion from string'

function toCidr(text: string): CelCidr {
  const fail = (problem: string) =>
    `${CIDR_PROBLEM}: ${CIDR_PROBLEM}: netip.ParsePrefix(${JSON.stringify(text)}): ${problem}`
  const slash = text.lastIndexOf('/')
  if (slash < 0) throw new CelEvalError(fail("no '/'"))
  const address = reading(text.slice(0, slash), fail)
  const digits = text.slice(slash + 1)
  if (address.zone !== '') throw new CelEvalError(fail('IPv6 zones cannot be present in a prefix'))
  if (!/^(?:0|[1-9]\d{0,2})$/.test(digits)) {
    throw new CelEvalError(fail(`bad bits after slash: ${JSON.stringify(digits)}`))
  }
  if (Number(digits) > width(address)) throw new CelEvalError(fail('prefix length out of range'))
  if (isV4Mapped(address)) {
    throw new CelEvalError(`${CIDR_PROBLEM}: IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`)
  }
  return new CelCidr(address, Number(digits))
}

function reading(text: string, problem: (reason: string) => string): IpAddress {
  try {
    return parseIp(text)
  } catch (error) {
    if (error instanceof IpParseError) throw new CelEvalError(problem(error.message))
    throw error
  }
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch (error) {
    if (error instanceof CelEvalError) return false
    throw error
  }
}

function width({ family }: IpAddress): 32 | 128 {
  return family === 4 ? 32 : 128
}

function mask(address: IpAddress, bits: number): bigint {
  const free = BigInt(width(address) - bits)
  return (address.value >> free) << free
}

function sameAddress(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.value === b.value
}

function containsAddress({ address, bits }: CelCidr, other: IpAddress): boolean {
  return address.family === other.family && mask(address, bits) === mask(other, bits)
}

function containsNet(net: CelCidr, other: CelCidr): boolean {
  return net.bits <= other.bits && containsAddress(net, other.address)
}

/** Whether an address is in the network of its family for a purpose. */
function within(address: IpAddress, v4: CelCidr, v6: CelCidr): boolean {
  return containsAddress(address.family === 4 ? v4 : v6, address)
}

const loopback = [toCidr('127.0.0.0/8'), toCidr('::1/128')] as const
const linkLocalMulticast = [toCidr('224.0.0.0/24'), toCidr('ff02::/16')] as const
const linkLocalUnicast = [toCidr('169.254.0.0/16'), toCidr('fe80::/10')] as const
const multicast = [toCidr('224.0.0.0/4'), toCidr('ff00::/8')] as const

function isLinkLocalMulticast(address: IpAddress): boolean {
  // In IPv6 the flags, four bits in the middle of the prefix, may have any value.
  const plain = address.family === 6 ? { ...address, value: address.value & ~(0xfn << 116n) } : address
  return within(plain, ...linkLocalMulticast)
}

function isGlobalUnicast(address: IpAddress): boolean {
  if (address.value === 0n || (address.family === 4 && address.value === 0xffffffffn)) return false
  return ![loopback, multicast, linkLocalUnicast].some(([v4, v6]) => within(address, v4, v6))
}
