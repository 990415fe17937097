import { Buffer } from 'node:buffer'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type ChannelCredentials, Client, credentials as grpc } from '@grpc/grpc-js'
import { AddressCredentials } from './address-credentials.js'
import { type ClientCredentials, type LoadedCredentials, loadCredentials } from './credentials.js'

export interface KeepAlive {
  /** The time without data after which the server is pinged. */
  readonly milliseconds: number
  /** The connection is closed without an answer to a ping in this time. */
  readonly timeoutMilliseconds: number
  /** Whether the server is also pinged while there is no call. Default false. */
  readonly always?: boolean
}

export interface GrpcTarget {
  readonly address: string
  readonly isSecure: boolean
  readonly keepAlive?: KeepAlive
}

/** A connection, with the credentials that it was made with. */
export interface GrpcConnection {
  readonly client: Client
  readonly credentials: LoadedCredentials
}

const KEEP_ALIVE: KeepAlive = { milliseconds: 30_000, timeoutMilliseconds: 10_000 }
/** Far more than servers accept for one work, with its status. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** What a server may send before it was read: HTTP/2's 64 KiB would make it wait after each larger work. */
const WINDOW_BYTES = 1024 * 1024

export async function openConnection(
  { address, isSecure, keepAlive = KEEP_ALIVE }: GrpcTarget,
  clientCredentials: ClientCredentials,
): Promise<GrpcConnection> {
  const credentials = await loadCredentials(clientCredentials)
  const client = new Client(address, isSecure ? tlsCredentials(address, credentials) : grpc.createInsecure(), {
    'grpc.keepalive_time_ms': keepAlive.milliseconds,
    'grpc.keepalive_timeout_ms': keepAlive.timeoutMilliseconds,
    'grpc.keepalive_permit_without_calls': keepAlive.always === true ? 1 : 0,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc-node.flow_control_window': WINDOW_BYTES,
    // The channel has a backoff of its own, and connects anew with other certificates.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 200,
    'grpc.max_reconnect_backoff_ms': 5_000,
  })
  return { client, credentials }
}

function tlsCredentials(address: string, { ca, certificate, key }: LoadedCredentials): ChannelCredentials {
  const host = hostOf(address)
  if (isIP(host) === 0) return grpc.createSsl(pem(ca), pem(key), pem(certificate))
  return new AddressCredentials(host, createSecureContext({ ca, cert: certificate, key }))
}

/** The host of `host:port` or `[host]:port`. */
function hostOf(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

function pem(text: string | undefined): Buffer | null {
  return text === undefined ? null : Buffer.from(text)
}

/** Parses `host:port` or a URL. The schemes `https` and `grpcs` mean TLS. */
export function parseTarget(url: string): { address: string; isSecure: boolean } {
  const [, scheme = '', address = ''] = /^(?:([a-z]+):\/\/)?([^/]+)\/?$/i.exec(url) ?? []
  const isSecure = scheme === 'https' || scheme === 'grpcs'
  if (address === '' || !(isSecure || scheme === '' || scheme === 'http' || scheme === 'grpc')) {
    throw new RangeError(`url ${JSON.stringify(url)} is not valid: use host:port`)
  }
  return { address, isSecure }
}
