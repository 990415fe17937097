import type { JsonObject } from '@orrery/kinds'
import type { Query } from '../../request/query.js'

/** The options of a connection as admission sees them: `PodExecOptions`, `PodProxyOptions`, …. */
export type ConnectOptions = JsonObject & { readonly kind: string; readonly apiVersion: string }

type Reader = (query: Query, path: string) => JsonObject

const streams: Reader = (query) => ({
  ...flags(query, ['stdin', 'stdout', 'stderr', 'tty']),
  ...(query.get('container') !== '' && { container: query.get('container') }),
})
const proxied: Reader = (query, path) => {
  const found = path || query.get('path')
  return found === '' ? {} : { path: found }
}

/** By `<resource>/<subresource>`. A log is read like an object and not admitted. */
const KINDS: Readonly<Record<string, { readonly kind: string; readonly read: Reader }>> = {
  'pods/exec': {
    kind: 'PodExecOptions',
    read: (query, path) => ({ ...streams(query, path), command: [...query.all('command')] }),
  },
  'pods/attach': { kind: 'PodAttachOptions', read: streams },
  'pods/portforward': { kind: 'PodPortForwardOptions', read: (query) => portsOf(query) },
  'pods/proxy': { kind: 'PodProxyOptions', read: proxied },
  'services/proxy': { kind: 'ServiceProxyOptions', read: proxied },
  'nodes/proxy': { kind: 'NodeProxyOptions', read: proxied },
}

/**
 * Parses the options of a connection; returns undefined for a subresource without options. `path` follows the
 * subresource.
 */
export function connectOptionsOf(
  resource: string,
  subresource: string,
  query: Query,
  path: string,
): ConnectOptions | undefined {
  const name = `${resource}/${subresource}`
  const found = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (found === undefined) return undefined
  return { kind: found.kind, apiVersion: 'v1', ...found.read(query, path) }
}

/** Returns only the flags that are set. */
function flags(query: Query, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => query.flag(name)).map((name) => [name, true]))
}

/** `ports=80&ports=443`, or `ports=80,443`. */
function portsOf(query: Query): JsonObject {
  const ports = query
    .all('ports')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '')
  return ports.length === 0 ? {} : { ports: ports.map(Number) }
}
