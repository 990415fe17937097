import { type Address, type Cidr, contains, parseCidr, parseIp } from '../../kinds-rules/network.js'
import { Pool } from './pool.js'

export type Family = 'IPv4' | 'IPv6'

/** The maximum number of allocatable addresses of a network. */
const MAX_ADDRESSES = 65_536 * 16
const MIN_STATIC = 16
const MAX_STATIC = 256

/** The network of service addresses. */
export class ServiceNetwork {
  readonly family: Family
  readonly cidr: string
  readonly #network: Cidr
  readonly #pool: Pool
  readonly #addresses: number

  /** Throws if the text is not a CIDR. */
  constructor(cidr: string) {
    const network = parseCidr(cidr)
    if (network === undefined) throw new Error(`${JSON.stringify(cidr)} is not a CIDR such as 10.96.0.0/12`)
    this.cidr = cidr
    this.#network = network
    this.family = network.address.length === 4 ? 'IPv4' : 'IPv6'
    // The first address of a network, and the last of an IPv4 one, are not allocatable.
    this.#addresses = Math.max(2 ** (network.address.length * 8 - network.bits) - (this.family === 'IPv4' ? 2 : 1), 0)
    const size = Math.min(this.#addresses, MAX_ADDRESSES)
    this.#pool = new Pool(
      size,
      size <= MIN_STATIC ? 0 : Math.min(Math.max(MIN_STATIC, Math.floor(size / 16)), MAX_STATIC),
    )
  }

  /** The first address, that of the `kubernetes` Service. */
  get first(): string {
    return this.#addressOf(0)
  }

  /** Returns whether an address is allocatable. */
  contains(ip: string): boolean {
    const address = parseIp(ip)
    if (address === undefined || !contains(this.#network, address)) return false
    const number = this.#numberOf(ip)
    return number >= 0 && number < this.#addresses
  }

  take(ip: string, owner: string): boolean {
    return this.#pool.take(this.#numberOf(ip), owner)
  }

  isHeldBy(ip: string, owner: string): boolean {
    return this.#pool.isHeldBy(this.#numberOf(ip), owner)
  }

  takeAny(owner: string): string | undefined {
    const number = this.#pool.takeAny(owner)
    return number === undefined ? undefined : this.#addressOf(number)
  }

  free(ip: string, owner: string): void {
    this.#pool.free(this.#numberOf(ip), owner)
  }

  #numberOf(ip: string): number {
    return Number(toInteger(parseIp(ip) ?? []) - this.#base()) - 1
  }

  #addressOf(number: number): string {
    return formatAddress(this.#base() + BigInt(number) + 1n, this.family)
  }

  #base(): bigint {
    const { address, bits } = this.#network
    const host = BigInt(address.length * 8 - bits)
    return (toInteger(address) >> host) << host
  }
}

function toInteger(address: Address): bigint {
  return address.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
}

function formatAddress(value: bigint, family: Family): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  // The URL parser returns the canonical form (RFC 5952).
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
