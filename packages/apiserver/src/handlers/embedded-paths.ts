import type { Exchange } from '../http/exchange.js'
import type { Identity } from '../identity/identity.js'
import type { RequestTarget } from '../request/target.js'
import type { Endpoint } from './pipeline.js'

/**
 * Paths outside the API groups that the embedding program serves, such as `/debug/`. Requests are authenticated, and
 * authorized for the path and the lower-case method, like `/metrics`.
 */
export interface EmbeddedPaths {
  /** The beginning of the paths, with a slash at both ends. Paths of the server itself take precedence. */
  readonly prefix: string
  serve(exchange: Exchange, target: RequestTarget, identity: Identity): void | Promise<void>
}

/** Forwards the requests below the prefix. */
export function embeddedPathsEndpoint(paths: EmbeddedPaths): Endpoint {
  return {
    matches: ({ isResource, path }) => !isResource && path.startsWith(paths.prefix),
    serve: (exchange, target, identity) => paths.serve(exchange, target, identity),
  }
}
