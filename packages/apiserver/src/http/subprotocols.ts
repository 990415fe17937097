import { type Exchange, header } from './exchange.js'

/**
 * Browsers cannot set an `Authorization` header, so this subprotocol carries the token, in base64url without padding.
 */
const BEARER_PREFIX = 'base64url.bearer.authorization.k8s.io.'

const UPGRADE = /(^|,)\s*upgrade\s*(,|$)/i

/** Returns whether the client requests a WebSocket. */
export function isWebSocketRequest(exchange: Pick<Exchange, 'headers'>): boolean {
  const upgrade = exchange.headers.upgrade
  if (typeof upgrade !== 'string' || upgrade.toLowerCase() !== 'websocket') return false
  return UPGRADE.test(header(exchange, 'connection') ?? '')
}

/**
 * Returns the subprotocols that a client offers, in order. Those with tokens are excluded, since they must never be
 * echoed.
 */
export function offeredProtocols(exchange: Pick<Exchange, 'headers'>): string[] {
  return allProtocols(exchange).filter((one) => !one.startsWith(BEARER_PREFIX))
}

/** Returns the encoded bearer tokens among the subprotocols of a WebSocket request. */
export function protocolTokens(exchange: Pick<Exchange, 'headers'>): string[] {
  if (exchange.headers['sec-websocket-protocol'] === undefined || !isWebSocketRequest(exchange)) return []
  const tokens = allProtocols(exchange).filter((one) => one.startsWith(BEARER_PREFIX))
  return tokens.map((one) => one.slice(BEARER_PREFIX.length))
}

function allProtocols({ headers }: Pick<Exchange, 'headers'>): string[] {
  const lines = [headers['sec-websocket-protocol'] ?? []].flat()
  return lines
    .flatMap((line) => line.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '')
}
