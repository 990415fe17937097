import { isUnauthorized } from '@orrery/kinds/values'
import { ConnectionError, isTlsFailure } from '@orrery/kube/transport'
import { withoutRequest } from '../../shared/explain.js'
import { SELECT_ANOTHER, type SelectedServer } from './selected-server.js'

/** Adds advice to the error of a request to a Maestro server. Errors without advice are returned unchanged. */
export function explainMaestroFailure(error: unknown, server: SelectedServer): unknown {
  const advice = adviceOn(error, server)
  return advice === undefined ? error : new Error(`${withoutRequest(error as Error)}\n${advice}`, { cause: error })
}

function adviceOn(error: unknown, server: SelectedServer): string | undefined {
  const failed = connectionErrorIn(error)
  if (failed !== undefined && WRONG_PROTOCOL.has(failed.code)) return portAdvice(failed)
  if (failed !== undefined) return isTlsFailure(failed) ? tlsAdvice(failed) : addressAdvice(failed, server)
  if (isUnauthorized(error)) {
    return 'Set --token-file or $MAESTRO_TOKEN_FILE, or --cert-file and --key-file, to credentials that the server accepts.'
  }
  return undefined
}

/** The failed connection of an error, or of its causes. */
export function connectionErrorIn(error: unknown): ConnectionError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof ConnectionError) return at
  }
  return undefined
}

const isGrpc = ({ message }: ConnectionError) => message.startsWith('gRPC port ')
const optionOf = (error: ConnectionError) => (isGrpc(error) ? '--grpc-url' : '--api-url')

/** A gRPC port serves HTTP/2 only, and a REST port does not serve it: with TLS and without. */
const WRONG_PROTOCOL: ReadonlySet<string> = new Set(['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'EPROTO'])

function portAdvice(error: ConnectionError): string {
  return isGrpc(error)
    ? 'It seems to be the REST port: set --grpc-url to the gRPC port of sources.'
    : 'It seems to be a gRPC port: set --api-url to the REST port.'
}

function tlsAdvice(error: ConnectionError): string {
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `Use a name of the certificate in ${optionOf(error)}.`
  if (error.code.includes('SSL')) {
    return isGrpc(error)
      ? 'The port does not use TLS: set --grpc-url to host:port, without a scheme.'
      : 'The port does not use TLS: set --api-url to a URL that begins with http://.'
  }
  return 'Set --ca-file or $MAESTRO_CA_FILE to the CA of the server.'
}

function addressAdvice(error: ConnectionError, { isDefault, fleet, isTyped, command }: SelectedServer): string {
  if (fleet !== undefined) {
    const other = isTyped ? '' : `, or ${SELECT_ANOTHER}`
    return `The fleet in ${fleet.root} is unreachable: check it with ${command('status')}, start it with ${command('up')}${other}.`
  }
  if (isDefault) {
    return `Start a server with \`orrery up --maestro\` or \`orrery maestro server\`, or ${SELECT_ANOTHER}.`
  }
  const variable = isTyped ? '' : ` or $MAESTRO_${isGrpc(error) ? 'GRPC' : 'API'}_URL`
  const option = optionOf(error)
  if (error.code === 'ECONNRESET') {
    const port = isGrpc(error) ? 'the gRPC port of sources' : 'the REST port, not a gRPC port'
    return `Check ${option}${variable}: it is ${port}; for TLS, use https://host:port.`
  }
  return `Check that the server runs, and ${option}${variable}.`
}
