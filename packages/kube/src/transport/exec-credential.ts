import { parseTime } from '@orrery/kinds/values'

/** The credentials of a plugin: a token, a certificate with its key, or both. */
export interface ExecCredentials {
  readonly token: string | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
  /** In milliseconds since 1970; infinity if there is none. */
  readonly expiresAt: number
}

interface Printed {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

/** Parses the `ExecCredential` that a command printed. Errors do not quote it: it is a secret. */
export function parseExecCredential(text: string, apiVersion: string): ExecCredentials {
  const printed = parsed(text)
  if (printed.kind !== 'ExecCredential') throw new Error('it did not print an ExecCredential')
  if (printed.apiVersion !== apiVersion) {
    const found = JSON.stringify(printed.apiVersion)
    throw new Error(`it printed version ${found}, but the kubeconfig has ${apiVersion}: change one`)
  }
  const { status } = printed
  if (typeof status !== 'object' || status === null) throw new Error('it printed no status')
  const token = textOf(status.token)
  const certificate = textOf(status.clientCertificateData)
  const key = textOf(status.clientKeyData)
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error('it printed only one of a certificate and its key')
  }
  if (token === undefined && certificate === undefined) throw new Error('it printed neither a token nor a certificate')
  return { token, certificate, key, expiresAt: expiryOf(textOf(status.expirationTimestamp)) }
}

function parsed(text: string): Printed {
  try {
    return (JSON.parse(text) as Printed | null) ?? {}
  } catch {
    throw new Error('it did not print JSON')
  }
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new Error('its status has a field that is not a string')
}

function expiryOf(timestamp: string | undefined): number {
  if (timestamp === undefined) return Number.POSITIVE_INFINITY
  try {
    return parseTime(timestamp).seconds * 1000
  } catch {
    throw new Error('its expirationTimestamp is not an RFC 3339 time')
  }
}
