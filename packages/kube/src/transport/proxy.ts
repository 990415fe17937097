import type { Socket } from 'node:net'
import type { Environment } from '../kubeconfig/load.js'
import { type Address, connectTcp, secure, type Tunnel } from './dial.js'

/** Loaded lazily. */
type Net = typeof import('node:net')

const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 }

/** The proxy for a server, if any. An explicit one takes precedence over the environment. */
export async function proxyFor(
  server: URL,
  explicit: string | undefined,
  environment: Environment,
): Promise<URL | undefined> {
  if (explicit !== undefined && explicit !== '') return new URL(explicit)
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = environment[name] || environment[name.toLowerCase()] || ''
  if (value === '') return undefined
  if (isExempt(server, environment.NO_PROXY || environment.no_proxy || '', await import('node:net'))) return undefined
  const url = value.includes('://') ? value : `http://${value}`
  if (URL.canParse(url) && /^(https?|socks5h?):$/.test(new URL(url).protocol)) return new URL(url)
  // The value may contain a password.
  throw new TypeError(`${name} must be a URL that begins with http://, https:// or socks5://`)
}

/** `NO_PROXY` as in Go: names with their subdomains, addresses, networks; this machine always. */
function isExempt(server: URL, list: string, net: Net): boolean {
  const host = hostOf(server)
  const port = String(portOf(server))
  if (isLoopback(host)) return true
  return list.split(',').some((item) => {
    const entry = item.trim().toLowerCase()
    if (entry === '' || entry === '*') return entry === '*'
    const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*|[^:]*:.*:[^:]*)(?::(\d+))?$/.exec(entry) ?? [undefined, entry]
    return (wantedPort === undefined || wantedPort === port) && covers(name.replace(/^\[|\]$/g, ''), host, net)
  })
}

function covers(entry: string, host: string, net: Net): boolean {
  if (entry.includes('/')) return networkCovers(entry, host, net)
  if (entry.startsWith('.')) return host.endsWith(entry)
  const name = entry.replace(/^\*\./, '')
  return host === name || host.endsWith(`.${name}`)
}

function networkCovers(network: string, host: string, { BlockList, isIP }: Net): boolean {
  const [base = '', bits = ''] = network.split('/')
  const family = isIP(base)
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits) || Number(bits) > (ADDRESS_BITS[family] ?? 0))
    return false
  const type = family === 4 ? 'ipv4' : 'ipv6'
  const networks = new BlockList()
  networks.addSubnet(base, Number(bits), type)
  return networks.check(host, type)
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Without the brackets around IPv6 addresses. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  if (url.protocol.startsWith('socks5')) return 1080
  return url.protocol === 'https:' ? 443 : 80
}

/** Trust for an HTTPS proxy: the authorities of the system, and the cluster's. */
export interface ProxyTrust {
  readonly authority: string | undefined
  readonly insecure: boolean
}

/** The tunnel through a proxy. */
export function tunnelThrough(proxy: URL, trust: ProxyTrust): Tunnel {
  return { through: proxy.host, open: (target, signal) => openTunnel(proxy, trust, target, signal) }
}

/** The route to a proxy that forwards whole requests. */
export function forwardThrough(proxy: URL, trust: ProxyTrust): Tunnel {
  return { through: proxy.host, open: (_, signal) => connectProxy(proxy, trust, signal) }
}

async function openTunnel(proxy: URL, trust: ProxyTrust, target: Address, signal: AbortSignal): Promise<Socket> {
  const socket = await connectProxy(proxy, trust, signal)
  try {
    if (proxy.protocol.startsWith('socks5')) {
      const { socksConnect } = await import('./socks.js')
      return await socksConnect(socket, target, credentialsOf(proxy), signal)
    }
    const { httpConnect } = await import('./http-connect.js')
    return await httpConnect(socket, target, proxyAuthorization(proxy), signal)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** A connection to the proxy itself. */
async function connectProxy(proxy: URL, trust: ProxyTrust, signal: AbortSignal): Promise<Socket> {
  const address = { host: hostOf(proxy), port: portOf(proxy) }
  if (proxy.protocol !== 'https:') return connectTcp(address, signal)
  const { createSecureContext, rootCertificates } = await import('node:tls')
  const { authority, insecure } = trust
  const context = createSecureContext(
    authority === undefined ? {} : { ca: [...rootCertificates, authority], allowPartialTrustChain: true },
  )
  return secure(await connectTcp(address, signal), { context, name: address.host, insecure }, signal)
}

/** The value of `proxy-authorization`; empty without credentials. */
export function proxyAuthorization(proxy: URL): string {
  const credentials = credentialsOf(proxy)
  if (credentials === undefined) return ''
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
}

interface ProxyCredentials {
  readonly username: string
  readonly password: string
}

function credentialsOf({ username, password }: URL): ProxyCredentials | undefined {
  if (username === '' && password === '') return undefined
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
}
