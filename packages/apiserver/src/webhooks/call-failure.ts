/** Webhooks can put any text into the reason. */
const MAX_MESSAGE = 4_096

/** A webhook call failed, or its response is invalid: the failure policy decides. */
export class WebhookCallFailure extends Error {
  constructor(message: string) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message)
    this.name = 'WebhookCallFailure'
  }
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
])

/** Describes a connection error with the messages of Kubernetes. */
export function describeFailure(error: NodeJS.ErrnoException, address: string): string {
  const code = error.code ?? ''
  if (code === 'ECONNREFUSED') return `dial tcp ${address}: connect: connection refused`
  if (code === 'EHOSTUNREACH') return `dial tcp ${address}: connect: no route to host`
  if (code === 'ENETUNREACH') return `dial tcp ${address}: connect: network is unreachable`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `dial tcp: lookup ${address.replace(/:\d+$/, '')}: no such host`
  if (code === 'ECONNRESET') return `read tcp ${address}: read: connection reset by peer`
  const tls = (why: string) => `tls: failed to verify certificate: x509: ${why}`
  if (UNKNOWN_AUTHORITY.has(code)) return tls('certificate signed by unknown authority')
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return tls('certificate has expired or is not yet valid')
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return tls(error.message)
  return error.message
}
