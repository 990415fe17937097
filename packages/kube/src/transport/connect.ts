import type { Transport } from '../client/transport.js'
import type { Clock } from '../clock.js'
import type { ClientConfig } from '../kubeconfig/client-config.js'
import type { Environment } from '../kubeconfig/load.js'
import { type ConfigSource, fixedSource } from '../kubeconfig/source.js'
import type { Logger } from '../log.js'
import { LazyTransport } from './lazy-transport.js'
import { type RateLimit, rateLimited } from './rate-limited.js'
import { type RetryPolicy, retrying } from './retrying.js'

export interface ConnectOptions {
  /** When to retry; false for never. Default: see `RetryPolicy`. */
  readonly retry?: RetryPolicy | false
  /** Default: no limit. */
  readonly rateLimit?: RateLimit
  /** The time until a response starts, in milliseconds. Default 60,000. */
  readonly answerTimeout?: number
  /** The connect timeout, in milliseconds. Default 30,000. */
  readonly connectTimeout?: number
  /**
   * How long a watch with bookmarks may be without data before it counts as dead, in milliseconds. Default 150,000:
   * bookmarks come about once a minute.
   */
  readonly watchSilence?: number
  /** The limit of concurrent requests; watches do not count. Default 32. */
  readonly maxRequests?: number
  /** The limit of idle connections. Default 32: with fewer than are used, connections would be opened all the time. */
  readonly maxIdle?: number
  /** How long idle connections are kept, in milliseconds. Default 60,000: servers close them after 90 seconds. */
  readonly idleTimeout?: number
  /** How often files are checked for changes, in milliseconds. Default 1,000. */
  readonly checkInterval?: number
  /** Default the file name of the program, without its extension. */
  readonly userAgent?: string
  /** Logs new credentials that cannot be used. Default none. */
  readonly log?: Logger
  readonly clock?: Clock
  /** The environment for proxies and exec plugins. Default: of the process. */
  readonly environment?: Environment
}

/**
 * The transport to an API server. Nothing is read or opened before the first request. Files are read again when they
 * change, including the kubeconfig.
 */
export function connect(config: ClientConfig | ConfigSource, options: ConnectOptions = {}): Transport {
  const { retry = {}, rateLimit } = options
  const clock = options.clock === undefined ? {} : { clock: options.clock }
  const source = 'read' in config ? config : fixedSource(config)
  const network = new LazyTransport(async () => (await import('./network.js')).overNetwork(source, options))
  const limited = rateLimit === undefined ? network : rateLimited(network, { ...clock, ...rateLimit })
  return retry === false ? limited : retrying(limited, { ...clock, ...retry })
}
