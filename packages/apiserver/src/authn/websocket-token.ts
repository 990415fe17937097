import { unauthorized } from '@orrery/kinds/values'
import type { Exchange } from '../http/exchange.js'
import { offeredProtocols, protocolTokens } from '../http/subprotocols.js'

const BASE64URL = /^[A-Za-z0-9_-]+$/
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Returns the bearer token in the subprotocols of a WebSocket request (kube-apiserver's `ProtocolAuthenticator`);
 * undefined if there is none. Throws a 401 for an invalid token, for several, and for one that is the only subprotocol:
 * the server could select no other, and must not echo a token.
 */
export function webSocketToken(exchange: Pick<Exchange, 'headers'>): string | undefined {
  const [encoded, ...others] = protocolTokens(exchange)
  if (encoded === undefined || encoded === '') return undefined
  if (others.length > 0 || !BASE64URL.test(encoded) || encoded.length % 4 === 1) throw unauthorized()
  if (offeredProtocols(exchange).length === 0) throw unauthorized()
  try {
    return decoder.decode(Buffer.from(encoded, 'base64url'))
  } catch {
    throw unauthorized()
  }
}
