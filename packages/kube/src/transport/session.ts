import type { Clock } from '../clock.js'
import type { ClientConfig, Impersonation } from '../kubeconfig/client-config.js'
import type { Environment } from '../kubeconfig/load.js'
import { dial, type Route } from './dial.js'
import type { ExecCredentials } from './exec-credential.js'
import { type Secrets, secureContextOf } from './identity.js'
import { Pool } from './pool.js'
import { forwardThrough, hostOf, isLoopback, portOf, proxyAuthorization, proxyFor, tunnelThrough } from './proxy.js'
import { type DefaultHeaders, headerLine } from './request-head.js'

/** How connections are opened and kept. */
export interface ConnectionOptions {
  readonly clock: Clock
  readonly environment: Environment
  readonly userAgent: string
  readonly connectTimeout: number
  readonly maxRequests: number
  readonly maxIdle: number
  readonly idleTimeout: number
}

/** A server and an identity, with their connections. It is immutable: rotation creates another. */
export interface Session {
  readonly config: ClientConfig
  readonly secrets: Secrets
  /** The credentials of the exec plugin, if there is one. */
  readonly credentials: ExecCredentials | undefined
  readonly standing: DefaultHeaders
  readonly gzip: boolean
  readonly pool: Pool
}

/** Opens a session. It takes over the connections of an earlier session for the same server and identity. */
export async function openSession(
  config: ClientConfig,
  secrets: Secrets,
  credentials: ExecCredentials | undefined,
  before: Session | undefined,
  options: ConnectionOptions,
): Promise<Session> {
  const server = new URL(config.server)
  const proxy = await proxyFor(server, config.proxyUrl, options.environment)
  // A plain HTTP proxy gets the absolute URL (RFC 9112, section 3.2.2).
  const isForwarded = server.protocol === 'http:' && proxy?.protocol.startsWith('http') === true
  const pool =
    before !== undefined && sharesConnections(before, config, secrets)
      ? before.pool
      : await openPool(server, config, secrets, proxy, isForwarded, options)
  const forwarding = isForwarded ? server.origin : ''
  const proxyCredentials = isForwarded && proxy !== undefined ? proxyAuthorization(proxy) : ''
  const standing: DefaultHeaders = {
    always:
      headerLine('host', server.host) +
      headerLine('user-agent', options.userAgent) +
      (proxyCredentials === '' ? '' : headerLine('proxy-authorization', proxyCredentials)),
    authorization: secrets.authorization === '' ? '' : headerLine('authorization', secrets.authorization),
    impersonation: config.impersonate === undefined ? '' : impersonationLines(config.impersonate),
    targetPrefix: forwarding + server.pathname.replace(/\/+$/, ''),
  }
  const gzip = config.disableCompression !== true && !isLoopback(hostOf(server))
  return { config, secrets, credentials, standing, gzip, pool }
}

async function openPool(
  server: URL,
  config: ClientConfig,
  secrets: Secrets,
  proxy: URL | undefined,
  isForwarded: boolean,
  { clock, connectTimeout, maxRequests, maxIdle, idleTimeout }: ConnectionOptions,
): Promise<Pool> {
  const address = { host: hostOf(server), port: portOf(server) }
  const insecure = config.insecureSkipTlsVerify === true
  const tls =
    server.protocol === 'http:'
      ? undefined
      : {
          context: await secureContextOf(secrets, config.origin ?? config.server),
          name: config.tlsServerName ?? address.host,
          insecure,
        }
  const way = isForwarded ? forwardThrough : tunnelThrough
  const tunnel = proxy === undefined ? undefined : way(proxy, { authority: secrets.authority, insecure })
  const route: Route = { address, tls, tunnel }
  return new Pool({
    clock,
    dial: (signal, label) => dial(route, signal, label, { clock, timeout: connectTimeout }),
    maxRequests,
    maxIdle,
    idleTimeout,
  })
}

/** Whether two sessions can share connections: tokens go with each request, certificates do not. */
function sharesConnections(before: Session, config: ClientConfig, secrets: Secrets): boolean {
  const { config: old, secrets: known } = before
  return (
    old.server === config.server &&
    old.proxyUrl === config.proxyUrl &&
    old.tlsServerName === config.tlsServerName &&
    old.insecureSkipTlsVerify === config.insecureSkipTlsVerify &&
    known.authority === secrets.authority &&
    known.certificate === secrets.certificate &&
    known.key === secrets.key
  )
}

function impersonationLines({ user, uid, groups = [], extra = {} }: Impersonation): string {
  const lines = [headerLine('impersonate-user', user)]
  if (uid !== undefined) lines.push(headerLine('impersonate-uid', uid))
  for (const group of groups) lines.push(headerLine('impersonate-group', group))
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) lines.push(headerLine(`impersonate-extra-${escapedKey(key)}`, value))
  }
  return lines.join('')
}

/** Keys may contain characters that are invalid in header names: the server decodes them. */
function escapedKey(key: string): string {
  return encodeURIComponent(key).replace(
    /[()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
