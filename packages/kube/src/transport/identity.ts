import { readFile } from 'node:fs/promises'
import type { SecureContext } from 'node:tls'
import type { ClientConfig, Pem } from '../kubeconfig/client-config.js'
import type { ExecCredentials } from './exec-credential.js'

/** The PEM for TLS. */
export interface TlsMaterial {
  readonly authority: string | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
}

/** The content of a configuration's files. */
export interface Secrets extends TlsMaterial {
  /** The value of the `authorization` header; empty if there is none. */
  readonly authorization: string
}

const TOKEN = /^[\x21-\x7e]+$/

/** The files that a configuration names. */
export function filesOf(config: ClientConfig): string[] {
  const { certificateAuthority, clientCertificate, clientKey, tokenFile } = config
  const files = [certificateAuthority, clientCertificate, clientKey].flatMap((pem) =>
    pem !== undefined && 'file' in pem ? [pem.file] : [],
  )
  return tokenFile === undefined ? files : [...files, tokenFile]
}

/** Reads everything that a configuration refers to. Secrets are only sent to servers verified by TLS. */
export async function readSecrets(config: ClientConfig): Promise<Secrets> {
  if (config.server.startsWith('http:')) {
    return { authority: undefined, certificate: undefined, key: undefined, authorization: '' }
  }
  const [authority, certificate, key, authorization] = await Promise.all([
    readPem(config, config.certificateAuthority, 'certificate-authority', 'CERTIFICATE'),
    readPem(config, config.clientCertificate, 'client-certificate', 'CERTIFICATE'),
    readPem(config, config.clientKey, 'client-key', 'PRIVATE KEY'),
    authorizationOf(config),
  ])
  return { authority, certificate, key, authorization }
}

/** Whether a configuration uses an exec plugin: its own credentials take precedence. */
export function usesExec(config: ClientConfig): boolean {
  const { exec, server, token, tokenFile, username, password, clientCertificate } = config
  const isKnown = [token, tokenFile, username, password, clientCertificate].some((one) => one !== undefined)
  return exec !== undefined && !isKnown && !server.startsWith('http:')
}

/** The content of the files, with the credentials of the plugin. */
export function withExecCredentials(secrets: Secrets, { token, certificate, key }: ExecCredentials): Secrets {
  return { ...secrets, certificate, key, authorization: token === undefined ? '' : `Bearer ${token}` }
}

/** Checks that a certificate, key and authority are valid and match. */
export async function secureContextOf(material: TlsMaterial, origin: string): Promise<SecureContext> {
  const { createSecureContext } = await import('node:tls')
  const { authority, certificate, key } = material
  try {
    return createSecureContext({
      minVersion: 'TLSv1.2',
      // Any certificate in the file is trusted, also an intermediate authority or the server's own, as in client-go.
      ...(authority !== undefined && { ca: authority, allowPartialTrustChain: true }),
      ...(certificate !== undefined && { cert: certificate }),
      ...(key !== undefined && { key }),
    })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const isPair = code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' || code === 'ERR_OSSL_X509_KEY_TYPE_MISMATCH'
    if (isPair) throw new Error(`${origin}: client-key does not match client-certificate`)
    throw new Error(`${origin}: the certificate or key cannot be used (${code})`)
  }
}

async function readPem(
  { origin = 'client' }: ClientConfig,
  pem: Pem | undefined,
  field: string,
  label: string,
): Promise<string | undefined> {
  if (pem === undefined) return undefined
  const text = 'text' in pem ? pem.text : await readText(pem.file, field, origin)
  if (text.includes('-----BEGIN ') && text.includes(`${label}-----`)) return text
  const where = 'text' in pem ? `${field}-data` : `${field} ${pem.file}`
  throw new Error(`${origin}: ${where} has no ${label} in PEM`)
}

async function authorizationOf(config: ClientConfig): Promise<string> {
  const { token, tokenFile, username, password, origin = 'client' } = config
  if (tokenFile !== undefined) {
    try {
      return bearer((await readText(tokenFile, 'tokenFile', origin)).trim(), `${origin}: tokenFile ${tokenFile}`)
    } catch (error) {
      // The inline token is used until the file can be read.
      if (token === undefined) throw error
    }
  }
  if (token !== undefined) return bearer(token, `${origin}: token`)
  if (username === undefined && password === undefined) return ''
  return `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}`
}

function bearer(token: string, where: string): string {
  if (token === '') throw new Error(`${where} is empty`)
  if (TOKEN.test(token)) return `Bearer ${token}`
  throw new Error(`${where} is not a token: it contains spaces, line breaks or other invalid characters`)
}

async function readText(file: string, field: string, origin: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new Error(`${origin}: ${field} ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
