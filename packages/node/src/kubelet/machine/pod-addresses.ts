/** Assigns the IP addresses of pods from a CIDR, each to one pod at a time. */
export class PodAddresses {
  readonly #first: number
  readonly #size: number
  readonly #taken = new Set<number>()
  #next = 0

  /** `cidr` is an IPv4 network such as `10.244.0.0/16`. */
  constructor(cidr: string) {
    const [, address = '', bits = ''] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(cidr) ?? []
    const number = numberOf(address)
    const prefix = Number(bits)
    if (number === undefined || !(prefix >= 8 && prefix <= 29)) {
      throw new RangeError(`${JSON.stringify(cidr)} is not an IPv4 CIDR from /8 to /29`)
    }
    const all = 2 ** (32 - prefix)
    // Excludes the addresses of the network, the gateway and the broadcast.
    this.#first = Math.floor(number / all) * all + 2
    this.#size = all - 3
  }

  /** Returns a free address; undefined if all are taken. */
  take(): string | undefined {
    for (let tries = 0; tries < this.#size; tries++) {
      const offset = this.#next
      this.#next = (offset + 1) % this.#size
      if (this.#taken.has(offset)) continue
      this.#taken.add(offset)
      return textOf(this.#first + offset)
    }
    return undefined
  }

  /** Marks an address as taken. */
  hold(address: string): void {
    const offset = this.#offsetOf(address)
    if (offset !== undefined) this.#taken.add(offset)
  }

  release(address: string): void {
    const offset = this.#offsetOf(address)
    if (offset !== undefined) this.#taken.delete(offset)
  }

  #offsetOf(address: string): number | undefined {
    const number = numberOf(address)
    if (number === undefined) return undefined
    const offset = number - this.#first
    return offset >= 0 && offset < this.#size ? offset : undefined
  }
}

function numberOf(address: string): number | undefined {
  const parts = address.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}
