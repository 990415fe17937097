import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'

/** Where a server listens. */
export interface ListenAddress {
  /** Undefined: all addresses. */
  readonly host: string | undefined
  readonly port: number
}

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/

/** Parses `host:port`, `[address]:port` or `:port`. */
export function listenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits] = ADDRESS.exec(text) ?? []
  const port = Number(digits)
  const isGood = bracketed === undefined || isIP(bracketed) === 6
  if (!(port <= 65_535) || !isGood) {
    throw new InvalidArgumentError('Use host:port or :port; port 0 selects a free port.')
  }
  return { host: bracketed ?? (plain === '' ? undefined : plain), port }
}

/** The URL of an address. */
export function urlOf({ host = 'localhost', port }: ListenAddress): string {
  return `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
