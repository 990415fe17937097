import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import type { ClientConfig } from '@orrery/kube/kubeconfig'
import { silentLogger } from '@orrery/kube/log'
import type { ClientCredentials, Material } from '../transport/credentials.js'
import type { GrpcChannelOptions } from '../transport/grpc-channel.js'
import { type RetryOptions, type RetryPolicy, retryPolicyOf } from './retry.js'

export interface MaestroClientOptions {
  /** The URL of the REST port: `https://maestro:8000`. The token is sent only over HTTPS. */
  readonly apiUrl: string
  /** The address of the gRPC port for sources: `host:port`, or a URL. The schemes `https` and `grpcs` mean TLS. */
  readonly grpcUrl: string
  /** The name of this source. Clients with the same name share their works. */
  readonly sourceId: string
  readonly token?: string
  /** A file with a token, which is read again when it changes. */
  readonly tokenFile?: string
  /** The CA bundle in PEM that both ports are verified with. Default: the CAs of the system. */
  readonly ca?: Material
  /** The client certificate and its key in PEM, for mutual TLS. Files are read again when they change. */
  readonly certificates?: { readonly certificate: Material; readonly key: Material }
  readonly retry?: RetryOptions
  /** The time limit of one request, in milliseconds. Default 30,000. */
  readonly requestMilliseconds?: number
  /**
   * How often a watch lists all works again, in milliseconds. The server does not report changes that other clients make to
   * a spec until an agent reports a status. Default 300,000.
   */
  readonly resyncMilliseconds?: number
  readonly log?: Logger
  readonly clock?: Clock
  /** Returns a number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
}

export interface ResolvedOptions {
  readonly sourceId: string
  readonly api: ClientConfig
  readonly grpc: GrpcChannelOptions
  readonly retry: RetryPolicy
  readonly requestMilliseconds: number
  readonly resyncMilliseconds: number
  readonly log: Logger
  readonly clock: Clock
}

const REQUEST_MILLISECONDS = 30_000
const RESYNC_MILLISECONDS = 300_000

/** Checks the options and fills in defaults. Throws `RangeError`. */
export function resolveOptions(options: MaestroClientOptions): ResolvedOptions {
  const { sourceId, token, tokenFile, ca, certificates } = options
  checkSource(sourceId)
  if (token !== undefined && tokenFile !== undefined) {
    throw new RangeError('set token or tokenFile of the Maestro client, not both')
  }
  const { clock = systemClock, log = silentLogger, random = Math.random } = options
  const requestMilliseconds = options.requestMilliseconds ?? REQUEST_MILLISECONDS
  const tokenMaterial =
    tokenFile !== undefined ? { file: tokenFile } : token !== undefined ? { text: token } : undefined
  const credentials: ClientCredentials = {
    ...(ca !== undefined && { ca }),
    ...certificates,
    ...(tokenMaterial !== undefined && { token: tokenMaterial }),
  }
  return {
    sourceId,
    api: {
      server: checkedUrl(options.apiUrl),
      origin: 'Maestro client',
      ...(ca !== undefined && { certificateAuthority: ca }),
      ...(certificates !== undefined && {
        clientCertificate: certificates.certificate,
        clientKey: certificates.key,
      }),
      ...(token !== undefined && { token }),
      ...(tokenFile !== undefined && { tokenFile }),
    },
    grpc: { url: options.grpcUrl, credentials, publishMilliseconds: requestMilliseconds, clock, log, random },
    retry: retryPolicyOf(options.retry ?? {}, clock, random),
    requestMilliseconds,
    resyncMilliseconds: options.resyncMilliseconds ?? RESYNC_MILLISECONDS,
    log,
    clock,
  }
}

/** Sources are part of search texts, where quotes would end them. */
function checkSource(sourceId: string): void {
  if (/^[\w.:/@-]+$/.test(sourceId)) return
  throw new RangeError(
    `sourceId ${JSON.stringify(sourceId)} is not valid: use letters, digits and the characters . _ - : / @`,
  )
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '')
  throw new RangeError(`apiUrl ${JSON.stringify(text)} is not valid: use a URL such as https://maestro:8000`)
}
