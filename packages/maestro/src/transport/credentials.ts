import { readFile } from 'node:fs/promises'

/** A secret or certificate: a text, or a file that is read again when it changes. */
export type Material = { readonly text: string } | { readonly file: string }

/** Certificates and tokens of a client, in PEM. */
export interface ClientCredentials {
  /** The CA bundle that the server is verified with. Default: the one of the system. */
  readonly ca?: Material
  readonly certificate?: Material
  readonly key?: Material
  /** Sent as `Authorization: Bearer`. Requires TLS. */
  readonly token?: Material
}

export interface LoadedCredentials {
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
  readonly token?: string
}

/** Reads the credentials, from their files as they are now. */
export async function loadCredentials(credentials: ClientCredentials): Promise<LoadedCredentials> {
  const { ca, certificate, key, token } = credentials
  if ((certificate === undefined) !== (key === undefined)) {
    throw new RangeError('either both or none of clientCertFile and clientKeyFile must be set')
  }
  const [caText, certificateText, keyText, tokenText] = await Promise.all([ca, certificate, key, token].map(read))
  return {
    ...(caText !== undefined && { ca: caText }),
    ...(certificateText !== undefined && { certificate: certificateText }),
    ...(keyText !== undefined && { key: keyText }),
    ...(tokenText !== undefined && { token: tokenText.trim() }),
  }
}

/** Whether a connection that was made with the one has to be made again for the other. Tokens are sent with each call. */
export function needsNewConnection(before: LoadedCredentials, after: LoadedCredentials): boolean {
  return before.ca !== after.ca || before.certificate !== after.certificate || before.key !== after.key
}

async function read(material: Material | undefined): Promise<string | undefined> {
  if (material === undefined) return undefined
  return 'text' in material ? material.text : readFile(material.file, 'utf8')
}
