import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isObject } from '@orrery/kinds/values'

/** Where an embedded hub can be reached, as people have said. It is remembered from start to start. */
export interface HubServing {
  /** The address to listen on. Default 127.0.0.1: then only this machine reaches the hub. */
  readonly bindAddress?: string
  /** The name or address that clusters elsewhere reach the hub at. Default: the one that is listened on. */
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

/** The name or address that clusters elsewhere reach the hub at; undefined when they do not. */
export function advertisedHost({ bindAddress = LOOPBACK, advertiseAddress }: HubServing): string | undefined {
  if (advertiseAddress !== undefined) return advertiseAddress
  if (isLoopback(bindAddress)) return undefined
  return EVERYWHERE.has(bindAddress) ? firstAddress() : bindAddress
}

/** Where clusters elsewhere reach the hub; undefined when they do not. */
export function advertisedUrl(serving: HubServing, port: number): string | undefined {
  const host = advertisedHost(serving)
  return host === undefined ? undefined : `https://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** All names and addresses that the serving certificate needs besides the usual ones. */
export function servedNames(serving: HubServing): readonly string[] {
  const host = advertisedHost(serving)
  return [...new Set([...(host === undefined ? [] : [host]), ...(serving.tlsSans ?? [])])]
}

/** As kube-apiserver: an address of this machine that others may reach. Those of version 4 are more often such ones. */
function firstAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return (addresses.find(({ family }) => family === 'IPv4') ?? addresses[0])?.address
}

/** Reads what was remembered; undefined when it is damaged. */
export function parseServing(value: unknown): HubServing | undefined {
  if (!isObject(value)) return undefined
  const { bindAddress, advertiseAddress, tlsSans } = value
  const isText = (one: unknown) => one === undefined || typeof one === 'string'
  const areTexts = tlsSans === undefined || (Array.isArray(tlsSans) && tlsSans.every((one) => typeof one === 'string'))
  return isText(bindAddress) && isText(advertiseAddress) && areTexts ? (value as HubServing) : undefined
}
