import type { VerificationKey } from './jwt.js'

export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration'
export const OPENID_KEYS_PATH = '/openid/v1/jwks'
export const OPENID_KEYS_MEDIA_TYPE = 'application/jwk-set+json'
export const OPENID_CACHE_CONTROL = 'public, max-age=3600'

/**
 * Returns the OpenID Connect discovery document of the service account issuer, with which clients verify its tokens.
 */
export function openIdConfiguration(issuer: string, serverUrl: string, keys: readonly VerificationKey[]): string {
  return JSON.stringify({
    issuer,
    jwks_uri: `${serverUrl}${OPENID_KEYS_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  })
}

/** Returns the public keys of the service account issuer (RFC 7517). */
export function openIdKeys(keys: readonly VerificationKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ id, algorithm, key }) => ({
      use: 'sig',
      kid: id,
      alg: algorithm,
      ...key.export({ format: 'jwk' }),
    })),
  })
}
