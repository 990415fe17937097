import type { VerificationKey } from '../authn/jwt.js'
import {
  OPENID_CACHE_CONTROL,
  OPENID_CONFIGURATION_PATH,
  OPENID_KEYS_MEDIA_TYPE,
  OPENID_KEYS_PATH,
  openIdConfiguration,
  openIdKeys,
} from '../authn/openid.js'
import type { Endpoint } from './pipeline.js'

/** The OpenID discovery documents, with which clients can verify service account tokens. */
export function openidEndpoint(issuer: string, serverUrl: () => string, keys: readonly VerificationKey[]): Endpoint {
  return {
    matches: ({ path }) => path === OPENID_CONFIGURATION_PATH || path === OPENID_KEYS_PATH,
    serve(exchange, { path }) {
      const isKeys = path === OPENID_KEYS_PATH
      const body = isKeys ? openIdKeys(keys) : openIdConfiguration(issuer, serverUrl(), keys)
      const contentType = isKeys ? OPENID_KEYS_MEDIA_TYPE : 'application/json'
      exchange.reply(200, { 'Content-Type': contentType, 'Cache-Control': OPENID_CACHE_CONTROL }, Buffer.from(body))
    },
  }
}
