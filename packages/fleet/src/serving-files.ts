import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Authority,
  altNamesOf,
  createAuthority,
  DistinguishedName,
  generateKey,
  issueLeaf,
  loadAuthority,
  privateKeyPem,
  readLeaf,
} from '@orrery/kube/pki'
import { readIfThere, writePrivately } from './privatefile.js'

const DAY = 86_400_000
const AUTHORITY_DAYS = 3_650
const CERTIFICATE_DAYS = 365
/** A certificate that expires sooner is replaced at the next start. */
const RENEWAL_DAYS = 90

/** The files of the TLS ports of a server. */
export interface ServingFiles {
  /** The authority that clients trust. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/**
 * Creates the authority and the certificate of a server in a directory, or renews the certificate.
 * @param name The common name of the certificate.
 */
export async function ensureServingFiles(
  directory: string,
  name: string,
  hosts: readonly string[],
  now = new Date(),
): Promise<ServingFiles> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const at = (file: string) => join(directory, file)
  const files = { caFile: at('ca.crt'), certFile: at('tls.crt'), keyFile: at('tls.key') }
  const authority = await ensureAuthority(files.caFile, at('ca.key'), `${name}-ca`, now)
  const altNames = altNamesOf(hosts)
  const [certificate = '', key = ''] = [await readIfThere(files.certFile), await readIfThere(files.keyFile)]
  const current = readLeaf({ certificate, key }, authority, altNames)
  if (current !== undefined && current.notAfter.getTime() > now.getTime() + RENEWAL_DAYS * DAY) return files
  const leaf = issueLeaf(authority, {
    subject: DistinguishedName.of(name),
    altNames,
    usages: ['digital signature', 'server auth'],
    ...validity(now, CERTIFICATE_DAYS),
  })
  await writePrivately(files.keyFile, leaf.key)
  await writePrivately(files.certFile, leaf.certificate)
  return files
}

async function ensureAuthority(certificateFile: string, keyFile: string, name: string, now: Date): Promise<Authority> {
  const [certificate, key] = [await readIfThere(certificateFile), await readIfThere(keyFile)]
  if (certificate !== undefined && key !== undefined) return loadAuthority(certificate, key)
  const { privateKey } = generateKey()
  const { notBefore, notAfter } = validity(now, AUTHORITY_DAYS)
  const authority = createAuthority(name, privateKey, notBefore, notAfter)
  await writePrivately(keyFile, privateKeyPem(privateKey))
  await writePrivately(certificateFile, authority.certificatePem)
  return authority
}

function validity(now: Date, days: number) {
  // Clocks of clients may be behind.
  return { notBefore: new Date(now.getTime() - DAY), notAfter: new Date(now.getTime() + days * DAY) }
}
