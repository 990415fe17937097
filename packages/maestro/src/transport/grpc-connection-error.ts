import { ConnectionError, explainSocket } from '@orrery/kube/transport'

const UNAVAILABLE = 14

/** What grpc-js reports if it has no connection: the error of the socket is part of the text. */
const NOT_CONNECTED = /^(?:No connection established\. Last error: (?:Error: )?|Name resolution failed)/
const RESOLUTION_NOTE = /\.? Resolution note: .*$/s

/** Texts of errors whose codes grpc-js omits. */
const CODES: readonly (readonly [text: RegExp, code: string])[] = [
  [/self-signed certificate|unable to (?:get|verify)|certificate signature failure/, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/certificate has expired/, 'CERT_HAS_EXPIRED'],
  [/certificate is not yet valid/, 'CERT_NOT_YET_VALID'],
  [/altnames/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/no application protocol/, 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'],
  [/^Protocol error/, 'EPROTO'],
  [/SSL routines|wrong version number/, 'ERR_SSL_PROTOCOL'],
  [/Name resolution failed/, 'ENOTFOUND'],
]

/** The error of a call that had no connection, with the address and the reason. Others are returned unchanged. */
export function connectionErrorOf(error: Error, address: string): Error {
  const { code, details } = error as Error & { readonly code?: unknown; readonly details?: unknown }
  if (code !== UNAVAILABLE || typeof details !== 'string' || !NOT_CONNECTED.test(details)) return error
  const reason = details
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(RESOLUTION_NOTE, '')
  const known = CODES.find(([text]) => text.test(reason))?.[1] ?? /\bE[A-Z_]{4,}\b/.exec(reason)?.[0]
  const explained = explainSocket(Object.assign(new Error(reason), known !== undefined && { code: known }))
  return new ConnectionError(`gRPC port ${address}: ${explained.text}`, {
    code: explained.code,
    sent: false,
    cause: error,
  })
}
