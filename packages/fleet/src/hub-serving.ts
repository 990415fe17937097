import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isObject } from '@orrery/kinds/values'

/** How an embedded hub is reached. It is stored for later starts. */
export interface HubServing {
  /** The address to listen on. Default 127.0.0.1: then only this machine reaches the hub. */
  readonly bindAddress?: string
  /** The name or address of the hub for other clusters. Default: the bind address. */
  readonly advertiseAddress?: string
  /** Further names and addresses for the serving certificate. */
  readonly tlsSans?: readonly string[]
}

export const LOOPBACK = '127.0.0.1'
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

/** Whether other machines may reach the hub. */
export function isExposed({ bindAddress = LOOPBACK }: HubServing): boolean {
  return !isLoopback(bindAddress)
}

/** The name or address of the hub for other machines; undefined if it is not exposed. */
export function advertisedHost({ bindAddress = LOOPBACK, advertiseAddress }: HubServing): string | undefined {
  if (advertiseAddress !== undefined) return advertiseAddress
  if (isLoopback(bindAddress)) return undefined
  return EVERYWHERE.has(bindAddress) ? firstAddress() : bindAddress
}

/** The URL of the hub for other machines; undefined if it is not exposed. */
export function advertisedUrl(serving: HubServing, port: number): string | undefined {
  const host = advertisedHost(serving)
  return host === undefined ? undefined : `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** The names and addresses that the serving certificate needs besides the defaults. */
export function servedNames(serving: HubServing): readonly string[] {
  const host = advertisedHost(serving)
  return [...new Set([...(host === undefined ? [] : [host]), ...(serving.tlsSans ?? [])])]
}

/** As in kube-apiserver: an address of this machine that others may reach. IPv4 addresses are more likely to be. */
function firstAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return (addresses.find(({ family }) => family === 'IPv4') ?? addresses[0])?.address
}

/** Parses stored settings; undefined if they are damaged. */
export function parseServing(value: unknown): HubServing | undefined {
  if (!isObject(value)) return undefined
  const { bindAddress, advertiseAddress, tlsSans } = value
  const isText = (one: unknown) => one === undefined || typeof one === 'string'
  const areTexts = tlsSans === undefined || (Array.isArray(tlsSans) && tlsSans.every((one) => typeof one === 'string'))
  return isText(bindAddress) && isText(advertiseAddress) && areTexts ? (value as HubServing) : undefined
}
