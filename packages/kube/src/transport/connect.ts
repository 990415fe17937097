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
  /** When to try again; false never does. Default: as `RetryPolicy` says. */
  readonly retry?: RetryPolicy | false
  /** Default: no limit. */
  readonly rateLimit?: RateLimit
  /** How long an answer may take to begin, in milliseconds. Default 60,000. */
  readonly answerTimeout?: number
  /** How long connecting may take, in milliseconds. Default 30,000. */
  readonly connectTimeout?: number
  /**
   * How long a watch that asked for bookmarks may be silent before it is taken for dead, in milliseconds. Default
   * 150,000: bookmarks come about once a minute.
   */
  readonly watchSilence?: number
  /** How many ordinary requests are under way at most; watches do not count. Default 32. */
  readonly maxRequests?: number
  /** How many connections are kept for later. Default 32: fewer than are used would be opened anew all the time. */
  readonly maxIdle?: number
  /** How long they are kept, in milliseconds. Default 60,000: servers close them after 90 seconds. */
  readonly idleTimeout?: number
  /** How often files are looked at for changes, in milliseconds. Default 1,000. */
  readonly checkInterval?: number
  /** Default `orrery`. */
  readonly userAgent?: string
  /** Hears when new credentials cannot be used. Default: nobody. */
  readonly log?: Logger
  readonly clock?: Clock
  /** Where proxies are found, and what exec plugins get. Default: of the process. */
  readonly environment?: Environment
}

/**
 * Carries requests to an API server. Nothing is read or opened before the first one; files are read again when they
 * change, the configuration itself as well if it comes from one.
 */
export function connect(config: ClientConfig | ConfigSource, options: ConnectOptions = {}): Transport {
  const { retry = {}, rateLimit } = options
  const clock = options.clock === undefined ? {} : { clock: options.clock }
  const source = 'read' in config ? config : fixedSource(config)
  const network = new LazyTransport(async () => (await import('./network.js')).overNetwork(source, options))
  const limited = rateLimit === undefined ? network : rateLimited(network, { ...clock, ...rateLimit })
  return retry === false ? limited : retrying(limited, { ...clock, ...retry })
}
